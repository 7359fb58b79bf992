import type { ActivityEntry } from "../../../../proto/catalog.ts"
import type { Parameters } from "./activity.ts"

/** What an activity's parameters name of wallets and keys, as far as policies see it. */
export type NamedHoldings =
  /** Address, or id of a private key. */
  | { readonly is: "signer"; readonly signWith: string }
  | { readonly is: "wallet"; readonly walletId: string }
  | { readonly is: "wallets"; readonly walletIds: readonly string[] }
  /** An account whose key goes out. */
  | { readonly is: "leaving-account"; readonly address: string }
  | { readonly is: "private-key"; readonly privateKeyId: string }
  | { readonly is: "nothing" }

/** One answer for whoever looks it up: the signer in its ledger, a simulation in the database. */
export function namedHoldings(
  { action, kind }: Pick<ActivityEntry, "action" | "kind">,
  parameters: Parameters,
): NamedHoldings {
  const text = (name: string) => textOf(parameters[name])
  if (action === "SIGN") return { is: "signer", signWith: text("signWith") || text("privateKeyId") }
  switch (kind) {
    case "EXPORT_WALLET":
      return { is: "wallet", walletId: text("walletId") }
    case "EXPORT_WALLET_ACCOUNT":
      return { is: "leaving-account", address: text("address") }
    case "EXPORT_PRIVATE_KEY":
      return { is: "private-key", privateKeyId: text("privateKeyId") }
    case "DELETE_WALLETS":
      return { is: "wallets", walletIds: (parameters["walletIds"] ?? []) as readonly string[] }
    default:
      return { is: "nothing" }
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
