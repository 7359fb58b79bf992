// Types of wallets, keys and secrets in conditions of policies.
import { bool, int, list, map, reference, string, struct } from "../../policy/language/types.ts"

/** `wallet`: of requests that sign with, or export, a wallet or one of its accounts. */
const wallet = struct("Wallet", {
  id: reference("wallet-id"),
  label: string,
  imported: bool,
  exported: bool,
})

/** `wallets`: of requests on several wallets. */
const wallets = list(wallet)

/**
 * `wallet_account`: the account of such a request. Its address is compared exactly; Ethereum addresses are stored in the
 * mixed case of EIP-55. Only an export has the path. `path_indexes` are without the hardened bit.
 */
const walletAccount = struct("WalletAccount", {
  address: { kind: "string", refersTo: "wallet-account-address", spelling: "eip-55" },
  path_indexes: list(int),
  path_hardened: list(bool),
})

/** `private_key`: of requests that sign with, or export, a key outside wallets. It shows no address. */
const privateKey = struct("PrivateKey", {
  id: reference("private-key-id"),
  label: string,
  tags: list(reference("private-key-tag-id")),
  imported: bool,
  exported: bool,
})

/** `secret`: of requests that export one. Its properties were given at import and never change. */
const secret = struct("Secret", { static_properties: map(string) })

export const roots = { wallet, wallets, wallet_account: walletAccount, private_key: privateKey, secret }
