import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  type Record,
  RecordKind,
  RecordSchema,
  WalletRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { allRefused, asRoot, exportOnce, refused, setup } from "./setup.ts"

const read = (bytes: Uint8Array): Record => fromBinary(RecordSchema, bytes)

/** The record as if its wallet had been exported. */
function flagged(bytes: Uint8Array): Uint8Array {
  const record = read(bytes)
  const wallet = { ...fromBinary(WalletRecordSchema, record.payload), exported: true }
  return toBinary(RecordSchema, { ...record, payload: toBinary(WalletRecordSchema, wallet) })
}

t.test("A2: an exported flag forged in a record deletes no key", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId, boundary } = fixture
  const { order, attempt } = asRoot(fixture)
  const second = await client.wallet(acme, "Second")
  await exportOnce(fixture, second.walletId)
  const stored = (id: string) => client.records.get(id)!
  const account = [...client.records.values()].find(
    (bytes) => read(bytes).kind === RecordKind.WALLET_ACCOUNT,
  )!
  const own = stored(walletId)
  const other = stored(second.walletId)
  const wallets = order("DELETE_WALLETS", { walletIds: [walletId] })
  const accounts = order("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [read(account).id] })
  const forged = [
    flagged(own),
    toBinary(RecordSchema, { ...read(own), payload: read(other).payload }),
    toBinary(RecordSchema, { ...read(other), id: walletId }),
    toBinary(RecordSchema, { ...read(flagged(own)), version: read(other).version, mac: read(other).mac }),
  ]
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    await allRefused(t, fixture, "RECORD_FORGED", forged, (record) => wallets(record))
    await refused(t, fixture, "CONTEXT_MISSING", () => wallets(other), "another wallet's, which was")
    const honest = () => attempt("DELETE_WALLETS", { walletIds: [walletId] })
    await refused(t, fixture, "WALLET_NOT_EXPORTED", honest)
  }
  t.match(await accounts(account), { is: "needed", needed: { recordIds: [read(account).id, walletId] } })
  await allRefused(t, fixture, "RECORD_FORGED", forged, (record) => accounts(account, record))
  await refused(t, fixture, "WALLET_ACCOUNT_NOT_EXPORTED", () => accounts(account, own))
  await exportOnce(fixture, walletId)
  await refused(t, fixture, "RECORD_ROLLED_BACK", () => wallets(own), "the record of before the export")
  t.match(await wallets(stored(walletId)), { is: "outcome" })
})
