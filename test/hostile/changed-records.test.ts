// Records that were changed or deleted, and an API tier that supplies their older versions.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { asRoot, refused, type Fixture, setup } from "./setup.ts"

function accountRecord({ client }: Fixture, address: string): { id: string; bytes: Uint8Array } {
  for (const [id, bytes] of client.records) {
    const { kind, deleted, payload } = fromBinary(RecordSchema, bytes)
    if (kind !== RecordKind.WALLET_ACCOUNT || deleted) continue
    if (fromBinary(WalletAccountRecordSchema, payload).address === address) return { id, bytes }
  }
  throw new Error(`no account has address ${address}`)
}

t.test("A2: a record from before a change is refused, also after a restart", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, walletId, address } = fixture
  const { submit, order } = asRoot(fixture)
  const old = client.records.get(walletId)!
  const account = accountRecord(fixture, address).bytes
  await submit("UPDATE_WALLET", { walletId, walletName: "Second name" })
  const sign = order("SIGN_RAW_PAYLOAD_V2", signParams(address))
  const rename = order("UPDATE_WALLET", { walletId, walletName: "Third name" })
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    await refused(t, fixture, "RECORD_ROLLED_BACK", () => sign(old, account))
    await refused(t, fixture, "RECORD_ROLLED_BACK", () => rename(old))
  }
  t.match(await sign(client.records.get(walletId)!, account), { is: "outcome" })
  t.match(await rename(client.records.get(walletId)!), { is: "outcome" })
})

t.test("A2: neither a record nor a second account of the same path restores a deleted account", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, walletId, address } = fixture
  const { submit, order } = asRoot(fixture)
  const { id, bytes: old } = accountRecord(fixture, address)
  await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [id], deleteWithoutExport: true })
  const tombstone = client.records.get(id)!
  const wallet = client.records.get(walletId)!
  const sign = order("SIGN_RAW_PAYLOAD_V2", signParams(address))
  const remove = order("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [id], deleteWithoutExport: true })
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    for (const record of [old, tombstone]) {
      await refused(t, fixture, "SIGN_WITH_UNKNOWN", () => sign(record, wallet))
      await refused(t, fixture, "RECORD_DELETED", () => remove(record))
    }
  }
  await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(0)] })
  const twin = accountRecord(fixture, address).bytes
  await refused(t, fixture, "CONTEXT_MISSING", () => sign(old, wallet), "the old one in its place")
  t.match(await sign(twin, wallet), { is: "outcome" })
})

t.test(
  "A2: records named by another record are requested after that record arrived, and none is accepted in their place",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, walletId, address } = fixture
    const { order } = asRoot(fixture)
    const second = await client.wallet(acme, "Second")
    const { id, bytes: account } = accountRecord(fixture, address)
    const wallet = client.records.get(walletId)!
    const other = client.records.get(second.walletId)!
    const remove = order("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [id] })
    t.match(await remove(), { is: "needed", needed: { recordIds: [id] } })
    t.match(await remove(account), { is: "needed", needed: { recordIds: [id, walletId] } })
    t.match(await remove(account), { is: "needed" }, "however often")
    await refused(t, fixture, "CONTEXT_MISSING", () => remove(wallet))
    await refused(t, fixture, "CONTEXT_MISSING", () => remove(account, other))
    await refused(t, fixture, "WALLET_ACCOUNT_NOT_EXPORTED", () => remove(account, wallet))
  },
)

t.test("A2: the archive reports a deletion to a database that was lost", async (t) => {
  const fixture = await setup(t)
  const { boundary, acme, address } = fixture
  const { submit } = asRoot(fixture)
  const { id } = accountRecord(fixture, address)
  await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [id], deleteWithoutExport: true })
  const { ledger } = boundary.signer.state()
  const archived = ledger
    .rows(acme.organizationId, "archive-record")
    .map(({ value }) => fromBinary(RecordSchema, value))
  t.match(
    archived.find((record) => record.id === id),
    { deleted: true, version: 2n, payload: new Uint8Array(0) },
  )
  t.equal(archived.length, 2, "beside the wallet")
})
