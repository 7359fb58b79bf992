// get_wallet_account, update_wallet, update_wallet_account_name and delete_wallet_accounts over HTTP.
import t from "tap"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { ethereumAccount } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

t.test("an account is found by address or path in its wallet, until it is deleted", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()
  const submit = async (path: string, type: string, parameters: object): Promise<Json> => {
    const { json } = await system.post(`submit/${path}`, system.body(type, organizationId, parameters), root)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const ask = (parameters: object) =>
    system.query("get_wallet_account", { organizationId, ...parameters }, root)
  const find = async (parameters: object): Promise<Json> => {
    const { json } = await ask(parameters)
    return requireQueryReply("get_wallet_account", json)["account"] as Json
  }

  const accounts = [
    ethereumAccount(1),
    ethereumAccount(10),
    { ...ethereumAccount(1), addressFormat: "ADDRESS_FORMAT_COMPRESSED", name: "m/44'/60'/0'/0/10" },
  ]
  const made = await submit("create_wallet", "CREATE_WALLET", { walletName: "First", accounts })
  const walletId = String(made["walletId"])
  const [one = "", ten = "", key = ""] = made["addresses"] as string[]
  const other = await submit("create_wallet", "CREATE_WALLET", { walletName: "Second", accounts: [] })

  t.match(await find({ walletId, address: one }), { address: one, walletId })
  t.match(await find({ walletId: walletId.toUpperCase(), address: one.toLowerCase() }), { address: one })
  t.match(await find({ walletId, address: key.toUpperCase() }), { address: key })
  t.match(await find({ walletId, path: "m/44'/60'/0'/0/1" }), { address: one }, "the oldest on its path")
  t.match(await find({ walletId, path: "m/44'/60'/0'/0/10" }), { address: ten }, "not one named like it")
  t.match(await find({ walletId, path: "m/44'/60'/0'/0/1", address: key }), { address: key })

  for (const [parameters, status] of [
    [{ walletId }, 400],
    [{ walletId: "First", address: one }, 400],
    [{ walletId, address: "" }, 400],
    [{ walletId: NIL, address: one }, 404],
    [{ walletId: other["walletId"], address: one }, 404],
    [{ walletId: other["walletId"], path: "m/44'/60'/0'/0/1" }, 404],
    [{ walletId, path: "m/44'/60'/0'/0/10", address: one }, 404],
    [{ walletId, path: "m/44'/60'/0'/0" }, 404],
    [{ walletId, address: "0x00" }, 404],
  ] as const) {
    const reply = await ask(parameters)
    t.equal(reply.status, status, JSON.stringify(parameters))
    requireError(reply.json)
  }

  await submit("update_wallet", "UPDATE_WALLET", { walletId, walletName: "Renamed" })
  const { json } = await system.query("get_wallet", { organizationId, walletId }, root)
  t.match(json, { wallet: { walletName: "Renamed" } })
  const { walletAccountId } = await find({ walletId, address: one })
  const rename = { walletAccountId, name: "Treasury" }
  t.same(await submit("update_wallet_account_name", "UPDATE_WALLET_ACCOUNT_NAME", rename), {
    walletAccountId,
  })
  t.match(await find({ walletId, address: one }), { walletAccountId, name: "Treasury" })
  const removal = { walletAccountIds: [walletAccountId], deleteWithoutExport: true }
  await submit("delete_wallet_accounts", "DELETE_WALLET_ACCOUNTS", removal)
  t.equal((await ask({ walletId, address: one })).status, 404)
  t.match(await find({ walletId, path: "m/44'/60'/0'/0/1" }), { address: key })
  const again = { walletId, accounts: [ethereumAccount(1)] }
  t.match(await submit("create_wallet_accounts", "CREATE_WALLET_ACCOUNTS", again), { addresses: [one] })
  t.notMatch(await find({ walletId, address: one }), { walletAccountId })
})
