import { bool, int, list, reference, string, struct } from "../language/types.ts"

/** `wallet`: of requests that sign with, or export, a wallet or an account of it. */
export const wallet = struct("Wallet", {
  id: reference("wallet-id"),
  label: string,
  imported: bool,
  exported: bool,
})

/** `wallets`: of requests on several wallets. */
export const wallets = list(wallet)

/**
 * `wallet_account`: the account of such a request. Its address is compared exactly: Ethereum's is stored in the mixed
 * case of EIP-55. The path is that of an export alone, without the bit that hardens, which stands beside it.
 */
export const walletAccount = struct("WalletAccount", {
  address: { kind: "string", refersTo: "wallet-account-address", spelling: "eip-55" },
  path_indexes: list(int),
  path_hardened: list(bool),
})
