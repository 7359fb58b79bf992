// Every address format over HTTP: made, found by each spelling of its address, and signed with.
import t from "tap"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { accountOf, allPairs, isSignatureOf, respelled, signParamsOf } from "../harness/formats.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

type Account = { address: string; publicKey: string; path: string }

t.test(
  "accounts and private keys get every address format, and accounts are found by each address",
  async (t) => {
    const system = await sharedSystem()
    const { organizationId, root } = await system.createOrganization()
    const submit = async (path: string, type: string, parameters: object): Promise<Json> => {
      const { json } = await system.post(
        `submit/${path}`,
        system.body(type, organizationId, parameters),
        root,
      )
      return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
    }
    const ask = (walletId: string, address: string) =>
      system.query("get_wallet_account", { organizationId, walletId, address }, root)

    const accounts = allPairs.map((pair, index) => accountOf(pair, `/44'/1'/0'/0/${index}`))
    const { walletId } = (await submit("create_wallet", "CREATE_WALLET", {
      walletName: "All formats",
      accounts: [],
    })) as { walletId: string }
    const made = await submit("create_wallet_accounts", "CREATE_WALLET_ACCOUNTS", { walletId, accounts })
    const addresses = made["addresses"] as string[]
    t.equal(addresses.length, 41)

    for (const [index, pair] of allPairs.entries()) {
      const [address, { path }] = [addresses[index] ?? "", accounts[index] ?? { path: "" }]
      for (const spelling of [address, respelled(pair.addressFormat, address) ?? address]) {
        const { json } = await ask(walletId, spelling)
        const { account } = requireQueryReply("get_wallet_account", json) as { account: Account }
        t.match(account, { ...pair, path, address, walletId }, `${pair.addressFormat} ${spelling}`)
        if (spelling !== address) continue
        const params = signParamsOf(pair, spelling)
        const signature = await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", params)
        t.ok(isSignatureOf(pair, account.publicKey, signature as { r: string; s: string }))
      }
    }

    const again = await system.post(
      "submit/create_wallet_accounts",
      system.body("CREATE_WALLET_ACCOUNTS", organizationId, { walletId, accounts: accounts.slice(-1) }),
      root,
    )
    t.equal(again.status, 409)
    requireError(again.json)

    const keys = allPairs.map(({ curve, addressFormat }) => ({
      privateKeyName: `${curve} ${addressFormat}`,
      curve,
      privateKeyTags: [],
      addressFormats: [addressFormat],
    }))
    const born = await submit("create_private_keys", "CREATE_PRIVATE_KEYS_V2", { privateKeys: keys })
    const privateKeys = born["privateKeys"] as { privateKeyId: string; addresses: object[] }[]
    for (const [index, { privateKeyId, addresses }] of privateKeys.entries()) {
      const { json } = await system.query("get_private_key", { organizationId, privateKeyId }, root)
      t.match(requireQueryReply("get_private_key", json), { privateKey: { addresses } })
      t.match(addresses, [{ format: allPairs[index]?.addressFormat }])
    }
  },
)
