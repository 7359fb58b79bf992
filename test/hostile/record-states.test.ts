// States of a record that only later activities will bring about; the signer's own tools make them here.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import {
  openSecret,
  type RecordDraft,
  makeRecord,
  makeTombstone,
  writeRecord,
} from "../../signer/enclave/records/record.ts"
import { writeRecordState } from "../../signer/enclave/records/state.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { ethereumAccount, signParams } from "../harness/api-seat.ts"
import { stampWith } from "../harness/stamper.ts"
import { refused, type Stage, stage } from "./stage.ts"

const random = (length: number) => new Uint8Array(length).fill(7)

function parts({ boundary, seat, walletId }: Stage) {
  const { keyring, ledger } = boundary.signer.work()
  const all = [...seat.records.values()].map((bytes) => fromBinary(RecordSchema, bytes))
  const wallet = all.find(({ id }) => id === walletId)!
  const account = all.find(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)!
  const made = (draft: Partial<RecordDraft>, keys = keyring.records) => {
    const { kind, organizationId, id, version, payload } = wallet
    return writeRecord(makeRecord({ kind, organizationId, id, version, payload, ...draft }, keys, random))
  }
  return { keyring, ledger, wallet, account, made }
}

/** Derives one more account of the wallet from whatever record is offered, and keeps nothing. */
function wish({ seat, acme, walletId }: Stage) {
  const parameters = { walletId, accounts: [ethereumAccount(9)], persist: false }
  const body = seat.body("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", acme.organizationId, parameters)
  return (...records: Uint8Array[]) => seat.order(body, stampWith(acme.root, body), { records })
}

async function setState({ boundary, acme }: Stage, id: string, state: { version: bigint; deleted: boolean }) {
  const { ledger } = boundary.signer.work()
  const head = ledger.head(acme.organizationId)!
  const put = [{ kind: "record" as const, key: id, value: writeRecordState(state) }]
  await ledger.commit([{ organizationId: acme.organizationId, expect: head, head, put, remove: [] }])
}

t.test("A2: refuses an older version of a record, and one that the ledger does not know yet", async (t) => {
  const scene = await stage(t)
  const { wallet, keyring, made } = parts(scene)
  const attempt = wish(scene)
  const newer = made({ version: 2n, secret: openSecret(wallet, keyring.records) })
  await refused(t, scene, "RECORD_ROLLED_BACK", () => attempt(newer), "newer than the ledger")
  await setState(scene, wallet.id, { version: 2n, deleted: false })
  await refused(t, scene, "RECORD_ROLLED_BACK", () => attempt(writeRecord(wallet)), "older than the ledger")
  const tombstone = writeRecord(makeTombstone(wallet, keyring.records))
  await refused(t, scene, "RECORD_ROLLED_BACK", () => attempt(tombstone), "deleted, which the ledger denies")
  t.match(await attempt(newer), { is: "outcome" })
})

t.test("A2: refuses a deleted record in every version", async (t) => {
  const scene = await stage(t)
  const { wallet, keyring, made } = parts(scene)
  t.match(await wish(scene)(writeRecord(wallet)), { is: "outcome" }, "before it is deleted")
  const attempt = wish(scene)
  await setState(scene, wallet.id, { version: 2n, deleted: true })
  const tombstone = writeRecord(makeTombstone(wallet, keyring.records))
  const revived = made({ version: 2n, secret: openSecret(wallet, keyring.records) })
  for (const record of [writeRecord(wallet), tombstone, revived])
    await refused(t, scene, "RECORD_DELETED", () => attempt(record))
})

t.test("A2: refuses a record of another kind under the requested id", async (t) => {
  const scene = await stage(t)
  const { wallet, account, made } = parts(scene)
  const disguised = made({ kind: RecordKind.WALLET_ACCOUNT, payload: account.payload })
  const attempt = wish(scene)
  await refused(t, scene, "RECORD_UNEXPECTED", () => attempt(disguised))
  t.match(await attempt(writeRecord(wallet)), { is: "outcome" })
})

t.test("A2: refuses an account record that names another wallet than the ledger", async (t) => {
  const scene = await stage(t)
  const { seat, acme, address, walletId } = scene
  const second = await seat.wallet(acme, "Second")
  const { account, made } = parts(scene)
  t.equal(fromBinary(WalletAccountRecordSchema, account.payload).walletId, walletId)
  const others = [...seat.records.values()].map((bytes) => fromBinary(RecordSchema, bytes))
  const moved = others.find(
    ({ kind, payload }) =>
      kind === RecordKind.WALLET_ACCOUNT &&
      fromBinary(WalletAccountRecordSchema, payload).walletId === second.walletId,
  )!
  const { kind, id } = account
  const misplaced = made({ kind, id, payload: moved.payload })
  const body = seat.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  const attempt = (record: Uint8Array) =>
    seat.order(body, stampWith(acme.root, body), { records: [seat.records.get(walletId)!, record] })
  await refused(t, scene, "RECORD_UNEXPECTED", () => attempt(misplaced))
  t.match(await attempt(writeRecord(account)), { is: "outcome" })
})

t.test("A2: refuses a secret sealed under another key, or not at all", async (t) => {
  const scene = await stage(t)
  const { wallet, keyring, made } = parts(scene)
  const secret = () => openSecret(wallet, keyring.records)
  const attempt = wish(scene)
  const otherKey = { ...keyring.records, seal: Secret.moveFrom(Buffer.alloc(32, 1)) }
  await refused(t, scene, "SEAL_BROKEN", () => attempt(made({ secret: secret() }, otherKey)), "another key")
  await refused(t, scene, "SEAL_BROKEN", () => attempt(made({})), "nothing sealed")
  t.match(await attempt(writeRecord(wallet)), { is: "outcome" })
})
