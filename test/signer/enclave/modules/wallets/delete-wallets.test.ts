import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  WalletRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, signParams, valueOf } from "../../../../harness/api-client.ts"
import { Importer, Reader } from "../../../../harness/bundles.ts"
import { asRoot, exportOnce, refused, type Fixture, setup } from "../../../../hostile/setup.ts"

const NIL = "00000000-0000-4000-8000-000000000000"
const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"

function walletOf({ client }: Fixture, walletId: string) {
  const record = fromBinary(RecordSchema, client.records.get(walletId)!)
  return { record, wallet: fromBinary(WalletRecordSchema, record.payload) }
}

t.test("delete_wallets deletes wallets with their accounts, and frees names and addresses", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId, address } = fixture
  const { submit, attempt } = asRoot(fixture)
  const importer = new Importer(fixture)
  const kept = await client.wallet(acme, "Kept")
  const accounts = [ethereumAccount(0), ethereumAccount(1)]
  const imported = await submit("IMPORT_WALLET", await importer.wallet("Doomed", WORDS, accounts))
  const doomed = valueOf(imported, "importWalletResult")
  const ways = [address, ...doomed.addresses]
  const sign = (signWith: string) => attempt("SIGN_RAW_PAYLOAD_V2", signParams(signWith))
  for (const signWith of [...ways, kept.address]) t.match(await sign(signWith), { is: "outcome" })

  const walletIds = [walletId.toUpperCase(), doomed.walletId, walletId]
  const done = await submit("DELETE_WALLETS", { walletIds, deleteWithoutExport: true })
  t.same(valueOf(done, "deleteWalletsResult").walletIds, [walletId, doomed.walletId], "each once")
  for (const id of [walletId, doomed.walletId]) {
    const { record } = walletOf(fixture, id)
    t.match(record, { deleted: true, version: 2n, kind: RecordKind.WALLET })
    t.equal(record.payload.length + record.sealed.length, 0)
  }
  for (const signWith of ways) {
    await refused(t, fixture, "SIGN_WITH_UNKNOWN", () => sign(signWith), "its key was in memory a moment ago")
    const exporting = { address: signWith, targetPublicKey: new Reader().targetPublicKey }
    await refused(t, fixture, "RESOURCE_UNKNOWN", () => attempt("EXPORT_WALLET_ACCOUNT", exporting))
  }
  t.match(await sign(kept.address), { is: "outcome" }, "another wallet signs as before")
  const more = { walletId, accounts: [ethereumAccount(3)] }
  await refused(t, fixture, "RECORD_DELETED", () => attempt("CREATE_WALLET_ACCOUNTS", more))
  const orphans = imported.records
    .map((bytes) => fromBinary(RecordSchema, bytes))
    .filter(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)
    .map(({ id }) => id)
  const ending = { walletAccountIds: orphans, deleteWithoutExport: true }
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => attempt("DELETE_WALLET_ACCOUNTS", ending))
  await client.wallet(acme, "First")
  const again = await submit("IMPORT_WALLET", await importer.wallet("Doomed", WORDS, accounts))
  t.same(valueOf(again, "importWalletResult").addresses, doomed.addresses)
})

t.test("delete_wallets requires an export or deleteWithoutExport, and deletes all or none", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const { submit, attempt } = asRoot(fixture)
  const second = await client.wallet(acme, "Second")
  const walletIds = [walletId, second.walletId]
  await exportOnce(fixture, walletId)
  for (const word of [{}, { deleteWithoutExport: false }]) {
    const remove = () => attempt("DELETE_WALLETS", { walletIds, ...word })
    await refused(t, fixture, "WALLET_NOT_EXPORTED", remove)
    t.match(await remove(), { field: "parameters.walletIds[1]" })
  }
  const freely = (...ids: string[]) =>
    attempt("DELETE_WALLETS", { walletIds: ids, deleteWithoutExport: true })
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => freely(walletId, NIL))
  t.match(await freely(walletId, NIL), { field: "parameters.walletIds[1]" })
  await refused(t, fixture, "REQUEST_INVALID", () => freely())
  await refused(t, fixture, "REQUEST_INVALID", () => freely("First"))
  await refused(t, fixture, "REQUEST_INVALID", () => freely(...Array.from({ length: 101 }, () => walletId)))
  const done = await submit("DELETE_WALLETS", { walletIds: [walletId] })
  t.same(valueOf(done, "deleteWalletsResult").walletIds, [walletId])
  await refused(t, fixture, "RECORD_DELETED", () => freely(walletId))
})
