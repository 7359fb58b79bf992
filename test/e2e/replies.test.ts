// Operations asked for over HTTP, against the tables that were written by hand; users and keys have files of their own.
// test/architecture/served.test.ts checks that none is missing.
import t from "tap"
import { requireActivity, requireQueryReply, requireResult } from "../contract/replies.ts"
import { apiKey, ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { freshDatabase } from "../harness/database.ts"
import { fingerprintOf, newKey, type TestKey } from "../harness/stamper.ts"
import { solanaTransfer, transactionParams } from "../harness/transactions.ts"
import { signed } from "../hostile/replay-cases-sends.ts"
import { type Json, System } from "../harness/system.ts"

t.test("replies have the documented shape:", async (t) => {
  const { url } = await freshDatabase(t)
  // No node answers there: the bodies below name every value.
  const system = await System.start(url, {
    COUNTERSIGN_CHAINS: "base=http://127.0.0.1:9,solana:devnet=http://127.0.0.1:9",
  })
  t.teardown(() => system.stop())
  const alice = newKey()
  // create_organization is an extension: no table of the document describes it. All later steps need it.
  const { organizationId, root, rootUserId } = await system.createOrganization()

  /** Submits and returns the result's member, its shape checked. */
  const submit = async (
    path: string,
    type: string,
    parameters: object,
    key: TestKey = root,
  ): Promise<Json> => {
    const body = system.body(type, organizationId, parameters)
    const { json } = await system.post(`submit/${path}`, body, key)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const query = async (path: string, parameters: object = {}): Promise<Json> => {
    const { status, json } = await system.query(path, { organizationId, ...parameters }, root)
    t.equal(status, 200, `${path} answers`)
    return requireQueryReply(path, json)
  }

  const [v3, v4] = [userParams("alice", alice), userParams("bob", newKey())]
  const { userIds } = await submit("create_users", "CREATE_USERS_V3", { users: [v3] })
  await submit("create_users", "CREATE_USERS_V4", { users: [{ ...v4, userPhoneNumber: "+15555550123" }] })
  const [aliceId = ""] = userIds as string[]
  const first = { userId: aliceId, apiKeys: [{ apiKeyName: "first", publicKey: newKey().publicKeyHex }] }
  await submit("create_api_keys", "CREATE_API_KEYS", first)
  const brief = { userId: aliceId, apiKeys: [apiKey(newKey(), "brief", "3600")] }
  const { apiKeyIds } = await submit("create_api_keys", "CREATE_API_KEYS_V2", brief)
  await submit("delete_api_keys", "DELETE_API_KEYS", { userId: aliceId, apiKeyIds })
  const passkeys = {
    userId: aliceId,
    authenticators: [new Passkey().create("one"), new Passkey().create("two")],
  }
  const { authenticatorIds } = await submit("create_authenticators", "CREATE_AUTHENTICATORS_V2", passkeys)
  const [, second] = authenticatorIds as string[]
  const removed = { userId: aliceId, authenticatorIds: [second] }
  await submit("delete_authenticators", "DELETE_AUTHENTICATORS", removed)

  const accounts = [ethereumAccount(0)]
  const wallet = await submit("create_wallet", "CREATE_WALLET", { walletName: "First", accounts })
  const walletId = String(wallet["walletId"])
  const [address = ""] = wallet["addresses"] as string[]
  const more = { walletId, accounts: [{ ...ethereumAccount(1), name: "second" }] }
  const { addresses } = await submit("create_wallet_accounts", "CREATE_WALLET_ACCOUNTS", more)
  await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(address))
  const { payload, ...common } = signParams(address)
  await submit("sign_raw_payloads", "SIGN_RAW_PAYLOADS", { ...common, payloads: [payload, "11".repeat(32)] })

  await submit("sign_transaction", "SIGN_TRANSACTION_V2", transactionParams(address))
  const fees = { nonce: "0", gasLimit: "21000", maxFeePerGas: "2000000000", maxPriorityFeePerGas: "0" }
  const send = { from: address, caip2: "eip155:8453", to: address, value: "1", ...fees }
  await submit("eth_send_transaction", "ETH_SEND_TRANSACTION", send)
  const sponsorship = { orgWindowLimitUsd: "100", subOrgWindowLimitUsd: "0.50", windowDurationMinutes: "60" }
  await submit("upsert_gas_usage_config", "UPSERT_GAS_USAGE_CONFIG", sponsorship)
  const signedTransaction = await signed(1)
  await submit("eth_send_raw_transaction", "ETH_SEND_RAW_TRANSACTION", {
    signedTransaction,
    caip2: "eip155:8453",
  })
  const { to: _to, value: _value, ...undelegation } = send
  await submit("eth_undelegate_7702", "ETH_UNDELEGATE_7702", undelegation)

  const solana = { curve: "CURVE_ED25519", path: "m/44'/501'/0'/0'", addressFormat: "ADDRESS_FORMAT_SOLANA" }
  const onSolana = { walletId, accounts: [{ ...ethereumAccount(0), ...solana }] }
  const { addresses: solanaAddresses } = await submit(
    "create_wallet_accounts",
    "CREATE_WALLET_ACCOUNTS",
    onSolana,
  )
  const [payer = ""] = solanaAddresses as string[]
  const unsignedTransaction = Buffer.from(solanaTransfer({ signers: [payer], lamports: 1n }).bytes).toString(
    "hex",
  )
  const lamports = { unsignedTransaction, signWith: payer, caip2: "solana:devnet" }
  await submit("sol_send_transaction", "SOL_SEND_TRANSACTION", lamports)

  await submit("update_wallet", "UPDATE_WALLET", { walletId, walletName: "Renamed" })
  const { accounts: stored } = await query("list_wallet_accounts", { walletId })
  const walletAccountIds = (stored as { walletAccountId: string; address: string }[])
    .filter((account) => (addresses as string[]).includes(account.address))
    .map(({ walletAccountId }) => walletAccountId)
  const removal = { walletAccountIds, deleteWithoutExport: true }
  await submit("delete_wallet_accounts", "DELETE_WALLET_ACCOUNTS", removal)

  const login = { publicKey: newKey().publicKeyHex, expirationSeconds: "600", invalidateExisting: true }
  await submit("stamp_login", "STAMP_LOGIN", login)

  await query("whoami")
  await query("get_organization")
  await query("get_user", { userId: rootUserId })
  await query("list_users")
  const { authenticators } = await query("get_authenticators", { userId: aliceId })
  const [shown] = authenticators as Json[]
  const [shownId] = authenticatorIds as string[]
  t.match(shown, { authenticatorId: shownId, authenticatorName: "one", model: "iCloud Keychain" })
  t.strictSame(await query("get_authenticator", { authenticatorId: shownId }), { authenticator: shown })
  await query("get_api_keys")
  await query("get_api_keys", { userId: aliceId })
  await query("get_wallet", { walletId })
  await query("get_wallet_account", { walletId, address })
  await query("list_wallets")
  await query("list_suborgs")
  t.match(await query("get_deployment_state"), {
    sealEpoch: 1,
    links: [{ transport: "PLAIN_HTTP" }, { transport: "UNIX_SOCKET" }, { transport: "UNIX_SOCKET" }],
  })
  await query("list_login_suborgs", { filterType: "EMAIL", filterValue: "root@example.com" })
  await query("list_verified_suborgs", { filterType: "EMAIL", filterValue: "root@example.com" })
  await query("list_wallet_accounts", { walletId })
  await query("list_wallet_accounts", { includeWalletDetails: true, paginationOptions: { limit: "1" } })
  const { activities } = await query("list_activities")
  const [latest] = activities as { id: string }[]
  await query("get_activity", { activityId: latest?.id })

  const quorum = { threshold: 2, userIds: [rootUserId, aliceId] }
  await submit("update_root_quorum", "UPDATE_ROOT_QUORUM", quorum)

  for (const [path, type, status] of [
    ["approve_activity", "APPROVE_ACTIVITY", "ACTIVITY_STATUS_COMPLETED"],
    ["reject_activity", "REJECT_ACTIVITY", "ACTIVITY_STATUS_REJECTED"],
  ] as const) {
    const parameters = { walletName: path, accounts: [] }
    const expected = { type: "ACTIVITY_TYPE_CREATE_WALLET", parameters }
    const body = system.body("CREATE_WALLET", organizationId, parameters)
    const waiting = await system.post("submit/create_wallet", body, root)
    requireActivity(waiting.json, { ...expected, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" })
    const vote = system.body(type, organizationId, { fingerprint: `sha256:${fingerprintOf(body)}` })
    const { json } = await system.post(`submit/${path}`, vote, alice)
    requireActivity(json, { ...expected, status })
  }
})
