// Chains and their currencies by CAIP-2 name, and amounts in whole units beside the smallest ones.
import { solanaClusterName } from "../address/chain.ts"

type Chain = { readonly name: string; readonly unit: string }

/** EVM chains by chain id. Their currencies have 18 decimals. */
const EVM: { readonly [chainId: string]: Chain } = {
  1: { name: "Ethereum", unit: "ETH" },
  10: { name: "OP Mainnet", unit: "ETH" },
  56: { name: "BNB Smart Chain", unit: "BNB" },
  97: { name: "BNB Smart Chain Testnet", unit: "BNB" },
  100: { name: "Gnosis", unit: "xDAI" },
  130: { name: "Unichain", unit: "ETH" },
  137: { name: "Polygon", unit: "POL" },
  143: { name: "Monad", unit: "MON" },
  324: { name: "zkSync Era", unit: "ETH" },
  8453: { name: "Base", unit: "ETH" },
  10143: { name: "Monad Testnet", unit: "MON" },
  42161: { name: "Arbitrum One", unit: "ETH" },
  42220: { name: "Celo", unit: "CELO" },
  43114: { name: "Avalanche C-Chain", unit: "AVAX" },
  59144: { name: "Linea", unit: "ETH" },
  80002: { name: "Polygon Amoy", unit: "POL" },
  84532: { name: "Base Sepolia", unit: "ETH" },
  421614: { name: "Arbitrum Sepolia", unit: "ETH" },
  11142220: { name: "Celo Sepolia", unit: "CELO" },
  11155111: { name: "Sepolia", unit: "ETH" },
  11155420: { name: "OP Sepolia", unit: "ETH" },
}

/** "Ethereum (eip155:1)"; a chain without a known name is its CAIP-2 name alone. */
export function chainText(caip2: string): string {
  const [namespace, reference = ""] = caip2.split(":")
  const name = namespace === "solana" ? solanaClusterName(reference) : own(EVM, reference)?.name
  return name === undefined ? caip2 : `${name} (${caip2})`
}

/** "ETH", the currency of a chain; undefined: it is not known. */
export function currencyOf(caip2: string): string | undefined {
  const [namespace = "", reference = ""] = caip2.split(":")
  return namespace === "eip155" ? own(EVM, reference)?.unit : own(CURRENCIES, namespace)
}

const CURRENCIES: { readonly [namespace: string]: string } = { solana: "SOL", tron: "TRX", bip122: "BTC" }

/** "1.5 ETH (1500000000000000000 wei)". `chainId` 0: any chain. */
export function weiText(wei: bigint, chainId: bigint): string {
  const unit = own(EVM, String(chainId))?.unit ?? "of the chain's currency"
  return amountText(wei, 18, unit, "wei")
}

export const lamportsText = (lamports: bigint): string => amountText(lamports, 9, "SOL", "lamports")
export const sunText = (sun: bigint): string => amountText(sun, 6, "TRX", "sun")
export const satoshiText = (satoshi: bigint): string => amountText(satoshi, 8, "BTC", "satoshi")

/** An amount in whole units, and in the smallest ones. */
export function amountText(units: bigint, decimals: number, unit: string, smallest: string): string {
  return `${wholeUnits(units, decimals)} ${unit} (${units} ${smallest})`
}

/** A number of smallest units in whole ones: 1500000000000000000 with 18 decimals is "1.5". */
export function wholeUnits(units: bigint, decimals: number): string {
  if (decimals === 0) return String(units)
  const text = String(units).padStart(decimals + 1, "0")
  const part = text.slice(-decimals).replace(/0+$/, "")
  const whole = text.slice(0, -decimals)
  return part === "" ? whole : `${whole}.${part}`
}

function own<V>(table: { readonly [name: string]: V }, name: string): V | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
