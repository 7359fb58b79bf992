// Clusters of Solana, which have several CAIP-2 names: the first 32 characters of a genesis hash, whole hashes, and the names that
// clients send.

const MAINNET = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
const DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
const TESTNET = "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z"

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ["mainnet", MAINNET],
  [`${MAINNET}Kuc147dw2N9d`, MAINNET],
  ["devnet", DEVNET],
  [`${DEVNET}wcaWoxPkrZBG`, DEVNET],
  ["testnet", TESTNET],
  [`${TESTNET}Qawwpjk2NsNY`, TESTNET],
])

const NAMES: ReadonlyMap<string, string> = new Map([
  [MAINNET, "Solana"],
  [DEVNET, "Solana Devnet"],
  [TESTNET, "Solana Testnet"],
])

/** The one spelling of a CAIP-2 name, of any chain. */
export function canonicalChain(caip2: string): string {
  const [namespace, reference = ""] = caip2.split(":")
  return namespace === "solana" ? `solana:${canonicalReference(reference)}` : caip2
}

/** "Solana Devnet"; undefined: the cluster has no known name. */
export const solanaClusterName = (reference: string): string | undefined =>
  NAMES.get(canonicalReference(reference))

const canonicalReference = (reference: string) => REFERENCES.get(reference) ?? reference
