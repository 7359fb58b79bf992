// Users, wallets, signatures, sends and votes; other operations have sequences of their own.
import { apiKey, ethereumAccount, signParams, userParams } from "../../harness/api-client.ts"
import { Passkey } from "../../harness/authenticator.ts"
import { newKey } from "../../harness/stamper.ts"
import type { Json } from "../../harness/system.ts"
import { solanaTransfer, transactionParams } from "../../harness/transactions.ts"
import { signed } from "../../hostile/replay-cases-sends.ts"
import type { Sequence } from "./sequence.ts"

export const core: Sequence = {
  title: "replies have the documented shape:",
  // No node answers there: the bodies name every value.
  settings: { COUNTERSIGN_CHAINS: "base=http://127.0.0.1:9,solana:devnet=http://127.0.0.1:9" },
  run: async (t, { activity, submit, query, rootUserId }) => {
    const alice = newKey()
    const [v3, v4] = [userParams("alice", alice), userParams("bob", newKey())]
    const { userIds } = await submit("CREATE_USERS_V3", { users: [v3] })
    await submit("CREATE_USERS_V4", { users: [{ ...v4, userPhoneNumber: "+15555550123" }] })
    const [aliceId = ""] = userIds as string[]
    const first = { userId: aliceId, apiKeys: [{ apiKeyName: "first", publicKey: newKey().publicKeyHex }] }
    await submit("CREATE_API_KEYS", first)
    const brief = { userId: aliceId, apiKeys: [apiKey(newKey(), "brief", "3600")] }
    const { apiKeyIds } = await submit("CREATE_API_KEYS_V2", brief)
    await submit("DELETE_API_KEYS", { userId: aliceId, apiKeyIds })
    const passkeys = {
      userId: aliceId,
      authenticators: [new Passkey().create("one"), new Passkey().create("two")],
    }
    const { authenticatorIds } = await submit("CREATE_AUTHENTICATORS_V2", passkeys)
    const [, second] = authenticatorIds as string[]
    const removed = { userId: aliceId, authenticatorIds: [second] }
    await submit("DELETE_AUTHENTICATORS", removed)

    const accounts = [ethereumAccount(0)]
    const wallet = await submit("CREATE_WALLET", { walletName: "First", accounts })
    const walletId = String(wallet["walletId"])
    const [address = ""] = wallet["addresses"] as string[]
    const more = { walletId, accounts: [{ ...ethereumAccount(1), name: "second" }] }
    const { addresses } = await submit("CREATE_WALLET_ACCOUNTS", more)
    await submit("SIGN_RAW_PAYLOAD_V2", signParams(address))
    const { payload, ...signing } = signParams(address)
    await submit("SIGN_RAW_PAYLOADS", { ...signing, payloads: [payload, "11".repeat(32)] })

    await submit("SIGN_TRANSACTION_V2", transactionParams(address))
    const fees = { nonce: "0", gasLimit: "21000", maxFeePerGas: "2000000000", maxPriorityFeePerGas: "0" }
    const send = { from: address, caip2: "eip155:8453", to: address, value: "1", ...fees }
    await submit("ETH_SEND_TRANSACTION", send)
    const { to: _to, value: _value, ...common } = send
    await submit("ETH_SEND_TRANSACTION_V2", { ...common, nonce: "1", calls: [{ to: address, value: "1" }] })
    const sponsorship = {
      orgWindowLimitUsd: "100",
      subOrgWindowLimitUsd: "0.50",
      windowDurationMinutes: "60",
    }
    await submit("UPSERT_GAS_USAGE_CONFIG", sponsorship)
    const signedTransaction = await signed(1)
    await submit("ETH_SEND_RAW_TRANSACTION", {
      signedTransaction,
      caip2: "eip155:8453",
    })
    await submit("ETH_UNDELEGATE_7702", common)

    const solana = {
      curve: "CURVE_ED25519",
      path: "m/44'/501'/0'/0'",
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    }
    const onSolana = { walletId, accounts: [{ ...ethereumAccount(0), ...solana }] }
    const { addresses: solanaAddresses } = await submit("CREATE_WALLET_ACCOUNTS", onSolana)
    const [payer = ""] = solanaAddresses as string[]
    const unsignedTransaction = Buffer.from(
      solanaTransfer({ signers: [payer], lamports: 1n }).bytes,
    ).toString("hex")
    const lamports = { unsignedTransaction, signWith: payer, caip2: "solana:devnet" }
    await submit("SOL_SEND_TRANSACTION", lamports)
    const { signWith, ...unsigned } = lamports
    await submit("SOL_SEND_TRANSACTION_V2", { ...unsigned, signWiths: [signWith] })

    await submit("UPDATE_WALLET", { walletId, walletName: "Renamed" })
    const { accounts: stored } = await query("list_wallet_accounts", { walletId })
    const walletAccountIds = (stored as { walletAccountId: string; address: string }[])
      .filter((account) => (addresses as string[]).includes(account.address))
      .map(({ walletAccountId }) => walletAccountId)
    const removal = { walletAccountIds, deleteWithoutExport: true }
    await submit("UPDATE_WALLET_ACCOUNT_NAME", { walletAccountId: walletAccountIds[0], name: "Renamed" })
    await submit("DELETE_WALLET_ACCOUNTS", removal)

    const login = { publicKey: newKey().publicKeyHex, expirationSeconds: "600", invalidateExisting: true }
    await submit("STAMP_LOGIN", login)

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
    await submit("UPDATE_ROOT_QUORUM", quorum)

    for (const [vote, status] of [
      ["APPROVE_ACTIVITY", "ACTIVITY_STATUS_COMPLETED"],
      ["REJECT_ACTIVITY", "ACTIVITY_STATUS_REJECTED"],
    ] as const) {
      const parameters = { walletName: vote, accounts: [] }
      const expected = { type: "ACTIVITY_TYPE_CREATE_WALLET", parameters }
      const pending = { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" } as const
      const { fingerprint } = await activity("CREATE_WALLET", parameters, pending)
      await activity(vote, { fingerprint }, { ...expected, status }, { key: alice })
    }
  },
}
