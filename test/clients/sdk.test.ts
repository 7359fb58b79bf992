// Published clients, unmodified, against the running system; independent libraries verify the signatures.
import { createPublicKey, verify } from "node:crypto"
import { getAddressEncoder, getPublicKeyFromAddress, verifySignature } from "@solana/kit"
import t from "tap"
import { hashMessage, recoverAddress } from "viem"
import { apiKey, ethereumAccount, userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { httpOf, sdkOf, toHex } from "./published.ts"

const SOLANA = {
  curve: "CURVE_ED25519",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/501'/0'/0'",
  addressFormat: "ADDRESS_FORMAT_SOLANA",
} as const
const ETHEREUM = ethereumAccount(0) as unknown as typeof SOLANA
const HEXADECIMAL = "PAYLOAD_ENCODING_HEXADECIMAL"

t.test("published clients", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const sdk = sdkOf(system, organizationId, root)
  const http = httpOf(system, root)
  const timestampMs = () => String(Date.now())

  t.test("call whoami", async (t) => {
    const expected = { organizationId, organizationName: "Acme", userId: rootUserId, username: "root" }
    t.match(await sdk.getWhoami(), expected)
    t.match(await http.getWhoami({ organizationId }), expected)
  })

  t.test("create a sub-organization that signs for itself and that its parent reads", async (t) => {
    const key = newKey()
    const created = await sdk.createSubOrganization({
      subOrganizationName: "Customer",
      rootUsers: [
        {
          userName: "customer",
          userEmail: "customer@example.com",
          apiKeys: [{ apiKeyName: "key", publicKey: key.publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
      wallet: { walletName: "Default", accounts: [ETHEREUM, SOLANA] },
    })
    const { subOrganizationId, wallet, rootUserIds } = created
    const customer = sdkOf(system, subOrganizationId, key)
    const who = { organizationId: subOrganizationId, organizationName: "Customer", userId: rootUserIds?.[0] }
    t.match(await customer.getWhoami(), who)
    const signWith = wallet?.addresses[0] ?? ""
    const digest = hashMessage("mine")
    const payload = {
      signWith,
      payload: digest,
      encoding: HEXADECIMAL,
      hashFunction: "HASH_FUNCTION_NO_OP",
    } as const
    t.equal(
      await recoverAddress({ hash: digest, signature: toHex(await customer.signRawPayload(payload)) }),
      signWith,
    )
    const { users } = await sdk.getUsers({ organizationId: subOrganizationId })
    t.match(users, [{ userName: "customer", userEmail: "customer@example.com" }])
    const writes = sdk.signRawPayload({ ...payload, organizationId: subOrganizationId })
    await t.rejects(writes, /organization mismatch/)

    await t.rejects(customer.deleteSubOrganization({}), /has not been exported/)
    const deleted = await customer.deleteSubOrganization({ deleteWithoutExport: true })
    t.equal(deleted.subOrganizationUuid, subOrganizationId)
    await t.rejects(customer.signRawPayload(payload), /was deleted/)
    await t.rejects(sdk.getWallets({ organizationId: subOrganizationId }), /was deleted/)
    t.notOk((await sdk.getSubOrgIds()).organizationIds.includes(subOrganizationId))
  })

  t.test(
    "find sub-organizations by name, contact and credential, and page through all of them",
    async (t) => {
      const keys = [newKey(), newKey(), newKey()]
      const made = []
      for (const [number, key] of keys.entries()) {
        const publicKey = key.publicKeyHex
        const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }]
        const contacts = { userEmail: `Finder${number}@example.com`, userPhoneNumber: `+1555555010${number}` }
        const user = {
          userName: `finder ${number}`,
          ...contacts,
          apiKeys,
          authenticators: [],
          oauthProviders: [],
        }
        const { subOrganizationId, wallet } = await sdk.createSubOrganization({
          subOrganizationName: `Finder's ${number}`,
          rootUsers: [user],
          rootQuorumThreshold: 1,
          wallet: { walletName: "Default", accounts: [ETHEREUM, SOLANA] },
        })
        made.push({ id: subOrganizationId, address: wallet?.addresses[1] ?? "", publicKey })
      }
      const found = async (filterType: string, filterValue: string) =>
        (await sdk.getSubOrgIds({ filterType, filterValue })).organizationIds
      for (const [number, { id, address, publicKey }] of made.entries()) {
        t.same(await found("EMAIL", `finder${number}@example.com`), [id])
        t.same(await found("PHONE_NUMBER", `+1555555010${number}`), [id])
        t.same(await found("PUBLIC_KEY", publicKey), [id])
        t.same(await found("USERNAME", `finder ${number}`), [id])
        t.same(await found("NAME", `Finder's ${number}`), [id])
        t.same(await found("WALLET_ACCOUNT_ADDRESS", address), [id])
      }
      t.same(await found("EMAIL", "nobody@example.com"), [])
      const unproven = { filterType: "EMAIL", filterValue: "finder0@example.com" }
      t.same((await sdk.getVerifiedSubOrgIds(unproven)).organizationIds, [], "unverified")
      await t.rejects(found("EMAIL", "nobody"), /must be an e-mail address/)
      const walked: string[] = []
      for (let after: string | undefined, more = true; more; after = walked.at(-1)) {
        const paginationOptions = { limit: "1", ...(after === undefined ? {} : { after }) }
        const { organizationIds } = await http.getSubOrgIds({ organizationId, paginationOptions })
        walked.push(...organizationIds)
        more = organizationIds.length > 0
      }
      t.same(
        walked,
        made.map(({ id }) => id),
      )
      const [first] = keys
      const child = httpOf(system, first!)
      const id = made[0]?.id
      t.match(await child.getWhoami({ organizationId }), { organizationId: id, username: "finder 0" })
      await t.rejects(child.getSubOrgIds({ organizationId }), /could not find public key in organization/)
      await t.rejects(child.getUsers({ organizationId: made[1]?.id ?? "" }), /could not find public key/)
    },
  )

  t.test("create a wallet whose Ethereum signatures viem recovers", async (t) => {
    const { walletId, addresses } = await sdk.createWallet({
      walletName: "One",
      accounts: [ETHEREUM, SOLANA],
    })
    const [address = ""] = addresses
    const digest = hashMessage("pay the supplier")
    const signed = await sdk.signRawPayload({
      signWith: address,
      payload: digest,
      encoding: HEXADECIMAL,
      hashFunction: "HASH_FUNCTION_NO_OP",
    })
    t.equal(await recoverAddress({ hash: digest, signature: toHex(signed) }), address)
    const { accounts } = await sdk.getWalletAccounts({ walletId })
    t.same(accounts.map((account) => account.address).toSorted(), [...addresses].toSorted())
    t.match(await sdk.getWallet({ walletId }), { wallet: { walletId, walletName: "One", exported: false } })
    t.ok((await sdk.getWallets()).wallets.some((wallet) => wallet.walletId === walletId))
  })

  t.test("sign with ed25519 so that @solana/kit and node verify", async (t) => {
    const { addresses } = await sdk.createWallet({ walletName: "Two", accounts: [SOLANA] })
    const address = addresses[0] as Parameters<typeof getPublicKeyFromAddress>[0]
    const payload = "00010203deadbeef"
    const { r, s } = await sdk.signRawPayload({
      signWith: address,
      payload,
      encoding: HEXADECIMAL,
      hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
    })
    const signature = Buffer.from(r + s, "hex")
    const publicKey = await getPublicKeyFromAddress(address)
    type SolanaSignature = Parameters<typeof verifySignature>[1]
    const data = Buffer.from(payload, "hex")
    t.ok(await verifySignature(publicKey, new Uint8Array(signature) as unknown as SolanaSignature, data))
    const x = Buffer.from(getAddressEncoder().encode(address)).toString("base64url")
    const jwk = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
    t.ok(verify(null, data, jwk, signature))
    t.notOk(verify(null, Buffer.from("another"), jwk, signature))
  })

  t.test("sign several payloads at once, in their order", async (t) => {
    const { addresses } = await sdk.createWallet({ walletName: "Three", accounts: [ETHEREUM] })
    const [address = ""] = addresses
    const payloads = ["one", "two", "three"].map((text) => hashMessage(text))
    const { signatures } = await sdk.signRawPayloads({
      signWith: address,
      payloads,
      encoding: HEXADECIMAL,
      hashFunction: "HASH_FUNCTION_NO_OP",
    })
    t.equal(signatures?.length, 3)
    for (const [index, signature] of (signatures ?? []).entries())
      t.equal(await recoverAddress({ hash: payloads[index]!, signature: toHex(signature) }), address)
  })

  t.test("create users and keys that then stamp, and delete them", async (t) => {
    const [alice, second] = [newKey(), newKey()]
    const { userIds } = await sdk.createUsers({ users: [userParams("alice", alice) as never] })
    const [userId = ""] = userIds
    const added = { userId, apiKeys: [apiKey(second, "second") as never] }
    const { apiKeyIds } = await sdk.createApiKeys(added)
    const asAlice = httpOf(system, second)
    t.match(await asAlice.getWhoami({ organizationId }), { userId, username: "alice" })
    t.equal((await sdk.getUsers()).users.length, 2)
    t.equal((await sdk.getApiKeys({ userId })).apiKeys.length, 2)
    await sdk.deleteApiKeys({ userId, apiKeyIds })
    await t.rejects(asAlice.getWhoami({ organizationId }), { message: /could not find public key/ })
  })

  t.test("read activities and their status", async (t) => {
    const parameters = { walletName: "Four", accounts: [] }
    const type = "ACTIVITY_TYPE_CREATE_WALLET"
    const { activity } = await http.createWallet({
      type,
      timestampMs: timestampMs(),
      organizationId,
      parameters,
    })
    t.match(activity, { status: "ACTIVITY_STATUS_COMPLETED", type, organizationId })
    const { activity: again } = await http.getActivity({ organizationId, activityId: activity.id })
    t.same(again, activity)
    const { activities } = await http.getActivities({ organizationId })
    t.same(
      activities.find(({ id }) => id === activity.id),
      activity,
    )
  })

  t.test("get a refusal as an error they can read", async (t) => {
    await t.rejects(sdk.createWallet({ walletName: "One", accounts: [] }), { message: /One is taken/ })
    await t.rejects(httpOf(system, newKey()).getWhoami({ organizationId }), { code: 16 })
  })
})
