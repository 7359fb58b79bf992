import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, signParams, valueOf } from "../../../../harness/api-client.ts"
import { Reader } from "../../../../harness/bundles.ts"
import { asRoot, exportOnce, refused, type Fixture, setup } from "../../../../hostile/setup.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

/** The stored account with this address, as the API tier has it. */
function accountOf({ client }: Fixture, address: string) {
  const accounts = [...client.records.values()]
    .map((bytes) => fromBinary(RecordSchema, bytes))
    .filter(({ kind, deleted }) => kind === RecordKind.WALLET_ACCOUNT && !deleted)
  return accounts.find(({ payload }) => fromBinary(WalletAccountRecordSchema, payload).address === address)!
}

t.test("update_wallet renames a wallet and changes nothing else", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, walletId, address } = fixture
  const { submit } = asRoot(fixture)
  const before = valueOf(await submit("SIGN_RAW_PAYLOAD_V2", signParams(address)), "signRawPayloadResult")
  const done = await submit("UPDATE_WALLET", { walletId: walletId.toUpperCase(), walletName: "Renamed" })
  t.equal(valueOf(done, "updateWalletResult").walletId, walletId)
  t.equal(done.records.length, 1)
  const record = fromBinary(RecordSchema, client.records.get(walletId)!)
  t.match(record, { version: 2n, deleted: false, kind: RecordKind.WALLET })
  const wallet = fromBinary(WalletRecordSchema, record.payload)
  t.match(wallet, { name: "Renamed", mnemonicLength: 12 })
  t.ok(wallet.updatedAtMs > wallet.createdAtMs)
  await boundary.restart()
  const after = valueOf(await submit("SIGN_RAW_PAYLOAD_V2", signParams(address)), "signRawPayloadResult")
  t.same(after, before, "the secret is the same, sealed for the new version")
  const third = await submit("UPDATE_WALLET", { walletId, walletName: "Again" })
  t.match(fromBinary(RecordSchema, third.records[0]!), { version: 3n })
})

t.test("update_wallet frees the old name, and changes nothing without a new one", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const { submit, attempt } = asRoot(fixture)
  t.same((await submit("UPDATE_WALLET", { walletId })).records, [])
  t.same((await submit("UPDATE_WALLET", { walletId, walletName: "First" })).records, [])
  await submit("UPDATE_WALLET", { walletId, walletName: "Other" })
  await client.wallet(acme, "First")
  await refused(t, fixture, "NAME_TAKEN", () => attempt("UPDATE_WALLET", { walletId, walletName: "First" }))
  await refused(t, fixture, "NAME_TAKEN", () =>
    attempt("CREATE_WALLET", { walletName: "Other", accounts: [] }),
  )
})

t.test("update_wallet refuses taken names and unknown wallets", async (t) => {
  const fixture = await setup(t)
  const { walletId, address } = fixture
  const { attempt } = asRoot(fixture)
  const rename = (id: string, walletName: string) => () =>
    attempt("UPDATE_WALLET", { walletId: id, walletName })
  await refused(t, fixture, "RESOURCE_UNKNOWN", rename(NIL, "Any"))
  await refused(t, fixture, "RESOURCE_UNKNOWN", rename(accountOf(fixture, address).id, "Any"), "no wallet")
  await refused(t, fixture, "REQUEST_INVALID", rename(walletId, ""))
  await refused(t, fixture, "REQUEST_INVALID", rename(walletId, "x".repeat(257)))
  await refused(t, fixture, "REQUEST_INVALID", rename("First", "Any"))
})

t.test("delete_wallet_accounts deletes accounts, which may be created again", async (t) => {
  const fixture = await setup(t)
  const { client, walletId, address } = fixture
  const { submit, attempt } = asRoot(fixture)
  await submit("SIGN_RAW_PAYLOAD_V2", signParams(address))
  const { id } = accountOf(fixture, address)
  const ids = [id.toUpperCase(), id]
  const done = await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: ids, deleteWithoutExport: true })
  t.same(valueOf(done, "deleteWalletAccountsResult").walletAccountIds, [id], "each once")
  const tombstone = fromBinary(RecordSchema, client.records.get(id)!)
  t.match(tombstone, { version: 2n, deleted: true, kind: RecordKind.WALLET_ACCOUNT })
  t.equal(tombstone.payload.length + tombstone.sealed.length, 0)
  const sign = () => attempt("SIGN_RAW_PAYLOAD_V2", signParams(address))
  await refused(t, fixture, "SIGN_WITH_UNKNOWN", sign, "its key was in memory a moment ago")
  const again = await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(0)] })
  t.same(valueOf(again, "createWalletAccountsResult").addresses, [address])
  t.not(accountOf(fixture, address).id, id)
  t.match(await sign(), { is: "outcome" })
})

t.test("delete_wallet_accounts requires an export or deleteWithoutExport", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId, address } = fixture
  const { submit, attempt } = asRoot(fixture)
  const second = await client.wallet(acme, "Second")
  const ids = [address, second.address].map((each) => accountOf(fixture, each).id)
  await exportOnce(fixture, walletId)
  for (const word of [{}, { deleteWithoutExport: false }]) {
    const attack = () => attempt("DELETE_WALLET_ACCOUNTS", { walletAccountIds: ids, ...word })
    await refused(t, fixture, "WALLET_ACCOUNT_NOT_EXPORTED", attack)
    t.match(await attack(), { field: "parameters.walletAccountIds[1]" })
  }
  const done = await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: ids.slice(0, 1) })
  t.same(valueOf(done, "deleteWalletAccountsResult").walletAccountIds, ids.slice(0, 1))
})

t.test("an account whose own key was exported can be deleted, and no other of its wallet", async (t) => {
  const fixture = await setup(t)
  const { boundary, walletId } = fixture
  const { submit, attempt } = asRoot(fixture)
  const accounts = [ethereumAccount(1), ethereumAccount(2)]
  const made = await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts })
  const [one = "", other = ""] = valueOf(made, "createWalletAccountsResult").addresses
  const ids = [one, other].map((each) => accountOf(fixture, each).id)
  const remove = (...walletAccountIds: string[]) => attempt("DELETE_WALLET_ACCOUNTS", { walletAccountIds })
  const { targetPublicKey } = new Reader()
  for (const times of ["once", "again"]) {
    const exported = await submit("EXPORT_WALLET_ACCOUNT", { address: one, targetPublicKey })
    t.same(exported.records, [], times)
  }
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    await refused(t, fixture, "WALLET_ACCOUNT_NOT_EXPORTED", () => remove(...ids))
    t.match(await remove(...ids), { field: "parameters.walletAccountIds[1]" })
    const wallets = () => attempt("DELETE_WALLETS", { walletIds: [walletId] })
    await refused(t, fixture, "WALLET_NOT_EXPORTED", wallets, "the words never left")
  }
  t.match(await remove(ids[0]!), { is: "outcome" })
  const anew = await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts: accounts.slice(0, 1) })
  t.same(valueOf(anew, "createWalletAccountsResult").addresses, [one])
  const { id } = accountOf(fixture, one)
  t.not(id, ids[0])
  await refused(
    t,
    fixture,
    "WALLET_ACCOUNT_NOT_EXPORTED",
    () => remove(id),
    "made again it is another account",
  )
  await submit("EXPORT_WALLET_ACCOUNT", { address: other, targetPublicKey })
  await exportOnce(fixture, walletId)
  t.match(await attempt("DELETE_WALLETS", { walletIds: [walletId] }), { is: "outcome" })
  await refused(
    t,
    fixture,
    "RESOURCE_UNKNOWN",
    () => remove(ids[1]!),
    "exported accounts end with their wallet",
  )
})

t.test("delete_wallet_accounts deletes all or none", async (t) => {
  const fixture = await setup(t)
  const { walletId, address } = fixture
  const { submit, attempt } = asRoot(fixture)
  const { id } = accountOf(fixture, address)
  const remove = (...walletAccountIds: string[]) => {
    return attempt("DELETE_WALLET_ACCOUNTS", { walletAccountIds, deleteWithoutExport: true })
  }
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => remove(id, NIL))
  t.match(await remove(id, NIL), { field: "parameters.walletAccountIds[1]" })
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => remove(walletId), "a wallet is no account")
  await refused(t, fixture, "REQUEST_INVALID", () => remove())
  await refused(t, fixture, "REQUEST_INVALID", () => remove("0x00"))
  await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [id], deleteWithoutExport: true })
  await refused(t, fixture, "RECORD_DELETED", () => remove(id))
})
