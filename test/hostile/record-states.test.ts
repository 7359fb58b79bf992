// Record states that no activity produces yet, made with the signer's own code.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import {
  makeRecord,
  makeTombstone,
  openSecret,
  type RecordDraft,
  writeRecord,
  writeRecordState,
} from "../../signer/enclave/records/record.ts"
import { archiveKey } from "../../signer/enclave/execution/state/archived-records.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { refused, type Fixture, setup } from "./setup.ts"

const random = (length: number) => new Uint8Array(length).fill(7)

function parts({ boundary, client, walletId }: Fixture) {
  const { keyring, ledger } = boundary.signer.state()
  const all = [...client.records.values()].map((bytes) => fromBinary(RecordSchema, bytes))
  const wallet = all.find(({ id }) => id === walletId)!
  const account = all.find(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)!
  const made = (draft: Partial<RecordDraft>, keys = keyring.records) => {
    const { kind, organizationId, id, version, payload } = wallet
    return writeRecord(makeRecord({ kind, organizationId, id, version, payload, ...draft }, keys, random))
  }
  return { keyring, ledger, wallet, account, made }
}

/** Derives one more account of the wallet from the supplied record, and stores nothing. */
function request({ client, acme, walletId }: Fixture) {
  const parameters = { walletId, accounts: [ethereumAccount(9)], persist: false }
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", acme.organizationId, parameters)
  return (...records: Uint8Array[]) => client.order(body, stampWith(acme.root, body), { records })
}

async function setState(
  { boundary, acme }: Fixture,
  id: string,
  state: { version: bigint; deleted: boolean },
) {
  const { ledger } = boundary.signer.state()
  const head = ledger.head(acme.organizationId)!
  const put = [{ kind: "record" as const, key: id, value: writeRecordState(state) }]
  await ledger.commit([{ organizationId: acme.organizationId, expect: head, head, put, remove: [] }])
}

/** Puts a record into the ledger's archive, so that it is the content of its version. */
async function archive({ boundary, acme }: Fixture, value: Uint8Array): Promise<Uint8Array> {
  const { ledger } = boundary.signer.state()
  const { kind, id } = fromBinary(RecordSchema, value)
  const head = ledger.head(acme.organizationId)!
  const put = [{ kind: "archive-record" as const, key: archiveKey(kind, id), value }]
  await ledger.commit([{ organizationId: acme.organizationId, expect: head, head, put, remove: [] }])
  return value
}

t.test("A2: refuses an older version of a record", async (t) => {
  const fixture = await setup(t)
  const { wallet, keyring, made } = parts(fixture)
  const attempt = request(fixture)
  const newer = made({ version: 2n, secret: openSecret(wallet, keyring.records) })
  await setState(fixture, wallet.id, { version: 2n, deleted: false })
  await archive(fixture, newer)
  await refused(t, fixture, "RECORD_ROLLED_BACK", () => attempt(writeRecord(wallet)), "older than the ledger")
  t.match(await attempt(newer), { is: "outcome" })
})

t.test(
  "A3: a record newer than the ledger, or deleted where the ledger has it alive, halts it",
  async (t) => {
    for (const isDeleted of [false, true]) {
      const fixture = await setup(t)
      const { wallet, keyring, made } = parts(fixture)
      const attempt = (record: Uint8Array) => request(fixture)(record)
      t.match(await attempt(writeRecord(wallet)), { is: "outcome" }, "at the ledger's version")
      const newer = made({ version: 2n, secret: openSecret(wallet, keyring.records) })
      const shown = isDeleted
        ? writeRecord(makeTombstone({ ...wallet, version: 0n }, keyring.records))
        : newer
      t.match(await attempt(shown), { is: "refused", code: "LEDGER_OLDER" })
      t.match(await attempt(writeRecord(wallet)), { is: "refused", code: "LEDGER_OLDER" })
    }
  },
)

t.test("A3: another record of the ledger's version halts the signer", async (t) => {
  const fixture = await setup(t)
  const { wallet, keyring, made } = parts(fixture)
  const attempt = (record: Uint8Array) => request(fixture)(record)
  const { version } = wallet
  const resealed = made({ version, secret: openSecret(wallet, keyring.records) })
  t.match(await attempt(writeRecord(wallet)), { is: "outcome" }, "the ledger's own")
  const spelled = Buffer.concat([writeRecord(wallet), Buffer.of(0x08, wallet.kind)])
  t.match(await attempt(spelled), { is: "outcome" }, "another spelling of the same record")
  t.match(await attempt(resealed), { is: "refused", code: "LEDGER_OLDER" })
  t.match(await attempt(writeRecord(wallet)), { is: "refused", code: "LEDGER_OLDER" })
})

t.test("A2: refuses a deleted record in every version", async (t) => {
  const fixture = await setup(t)
  const { wallet, keyring, made } = parts(fixture)
  t.match(await request(fixture)(writeRecord(wallet)), { is: "outcome" }, "before it is deleted")
  const attempt = request(fixture)
  await setState(fixture, wallet.id, { version: 2n, deleted: true })
  const tombstone = writeRecord(makeTombstone(wallet, keyring.records))
  const revived = made({ version: 2n, secret: openSecret(wallet, keyring.records) })
  for (const record of [writeRecord(wallet), tombstone, revived])
    await refused(t, fixture, "RECORD_DELETED", () => attempt(record))
})

t.test("A2: refuses a record of another kind under the requested id", async (t) => {
  const fixture = await setup(t)
  const { wallet, account, made } = parts(fixture)
  const disguised = made({ kind: RecordKind.WALLET_ACCOUNT, payload: account.payload })
  const attempt = request(fixture)
  await refused(t, fixture, "RECORD_UNEXPECTED", () => attempt(disguised))
  t.match(await attempt(writeRecord(wallet)), { is: "outcome" })
})

t.test("A2: refuses an account record that names another wallet than the ledger", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address, walletId } = fixture
  const second = await client.wallet(acme, "Second")
  const { account, made } = parts(fixture)
  t.equal(fromBinary(WalletAccountRecordSchema, account.payload).walletId, walletId)
  const others = [...client.records.values()].map((bytes) => fromBinary(RecordSchema, bytes))
  const moved = others.find(
    ({ kind, payload }) =>
      kind === RecordKind.WALLET_ACCOUNT &&
      fromBinary(WalletAccountRecordSchema, payload).walletId === second.walletId,
  )!
  const { kind, id } = account
  const misplaced = made({ kind, id, payload: moved.payload })
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  const attempt = (record: Uint8Array) =>
    client.order(body, stampWith(acme.root, body), { records: [client.records.get(walletId)!, record] })
  await archive(fixture, misplaced)
  await refused(t, fixture, "RECORD_UNEXPECTED", () => attempt(misplaced))
  await archive(fixture, writeRecord(account))
  t.match(await attempt(writeRecord(account)), { is: "outcome" })
})

t.test("A2: refuses a secret sealed under another key, or not at all", async (t) => {
  const fixture = await setup(t)
  const { wallet, keyring, made } = parts(fixture)
  const secret = () => openSecret(wallet, keyring.records)
  const attempt = request(fixture)
  const otherKey = { ...keyring.records, seal: Secret.moveFrom(Buffer.alloc(32, 1)) }
  const sealedElsewhere = await archive(fixture, made({ secret: secret() }, otherKey))
  await refused(t, fixture, "SEAL_BROKEN", () => attempt(sealedElsewhere), "another key")
  const unsealed = await archive(fixture, made({}))
  await refused(t, fixture, "SEAL_BROKEN", () => attempt(unsealed), "nothing sealed")
  await archive(fixture, writeRecord(wallet))
  t.match(await attempt(writeRecord(wallet)), { is: "outcome" })
})
