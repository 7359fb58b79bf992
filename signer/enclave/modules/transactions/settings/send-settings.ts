import { ethereumAddressBytes } from "../../../../core/address/ethereum.ts"
import type { GasStation } from "../../../../core/send/gas-station.ts"
import { type FeeCap, type SendSettings, WEI_PER_TOKEN } from "../../../../core/send/settings.ts"
import { invalid, type Setting, shownAsWritten } from "../../../../core/settings/settings.ts"

/** Values by chain (CAIP-2). */
type ByChain<Value> = ReadonlyMap<string, Value>

const GWEI = 10n ** 9n
const MICRO_USD = 6

/** Caps of fees: `CHAIN=<gwei for each unit of gas>/<native tokens for a transaction>`, separated by commas. */
export const readFeeCaps = byChain<FeeCap>("GWEI/TOKENS, such as eip155:1=500/0.5", (text) => {
  const [perGas, total, ...rest] = text.split("/")
  const cap = { perGas: readUnits(perGas, 9), total: readUnits(total, 18) }
  if (cap.perGas === undefined || cap.total === undefined || rest.length > 0) return undefined
  return { perGas: cap.perGas, total: cap.total }
})

/** Pinned contracts: `CHAIN=<station>/<delegate>/<EIP-712 name>/<EIP-712 version>`, separated by commas. */
export const readGasStations = byChain<GasStation>("STATION/DELEGATE/NAME/VERSION", (text) => {
  const [station, delegate, name = "", version = "", ...rest] = text.split("/")
  const addresses = [station, delegate].map((one) => ethereumAddressBytes(one ?? ""))
  const [stationBytes, delegateBytes] = addresses
  if (stationBytes === undefined || delegateBytes === undefined || rest.length > 0) return undefined
  if (name === "" || version === "") return undefined
  return { station: hexOf(stationBytes), delegate: hexOf(delegateBytes), name, version }
})

/** Prices of native tokens: `CHAIN=<US dollars>`, separated by commas. */
export const readUsdPrices = byChain<bigint>("US dollars, such as eip155:1=4000", (text) =>
  readUnits(text, MICRO_USD),
)

/** Fees of bytes: `CHAIN=<gwei for each byte of a transaction>`, separated by commas. */
export const readByteFees = byChain<bigint>("GWEI, such as eip155:8453=100", (text) => readUnits(text, 9))

/** Greatest cap in US dollars: the ledger keeps sums of millionths in 64 bits. */
const MAX_CAP_USD = 10n ** 12n

/** A cap of sponsorship in US dollars. `unset`: the cap without the setting. */
export function usdCap<Unset extends bigint | undefined>(unset: Unset): Setting<bigint | Unset> {
  return shownAsWritten((text = "") => {
    if (text === "") return unset
    const cap = readUnits(text, MICRO_USD)
    if (cap === undefined || cap > MAX_CAP_USD * 1_000_000n)
      throw invalid(`write US dollars with at most six decimals, up to ${MAX_CAP_USD}, such as 250 or 99.50`)
    return cap
  })
}

/** Millionths of a US dollar: 1,000 dollars in 24 hours. */
export const DEFAULT_DAY_CAP = 1000n * 1_000_000n

type Values = {
  readonly feeCaps: ByChain<FeeCap>
  readonly gasStations: ByChain<GasStation>
  readonly usdPrices: ByChain<bigint>
  readonly byteFees: ByChain<bigint>
  readonly maxDeadlineSeconds: number
  readonly topLevelCap: bigint
  /** Undefined: as much as its top-level organization. */
  readonly subOrganizationCap: bigint | undefined
}

export function sendSettings({
  feeCaps,
  gasStations,
  usdPrices,
  byteFees,
  maxDeadlineSeconds,
  topLevelCap: topLevel,
  subOrganizationCap,
}: Values): SendSettings {
  return Object.freeze({
    sponsorshipCaps: Object.freeze({ topLevel, subOrganization: subOrganizationCap ?? topLevel }),
    feeCap: (caip2: string) => feeCaps.get(caip2) ?? DEFAULT_CAPS.get(caip2) ?? DEFAULT_CAP,
    gasStation: (caip2: string) => gasStations.get(caip2),
    microUsdPrice: (caip2: string) => usdPrices.get(caip2),
    byteFee: (caip2: string) => byteFees.get(caip2) ?? (OP_STACK.has(caip2) ? OP_STACK_BYTE_FEE : 0n),
    maxDeadlineSeconds,
  })
}

/** Caps where the operator sets none: several times what a contract call costs on a busy day. */
const DEFAULT_CAPS: ByChain<FeeCap> = new Map([
  ...caps("1", 500, 5),
  ...caps("11155111 137 80002", 10_000, 50),
  ...caps("8453 84532 10 11155420 42161 421614", 50, 1),
  ...caps("56 97", 100, 2),
])

/**
 * Chains of the OP stack take a fee for a transaction's bytes (OP Stack Specification, "L1-Cost fees"). It follows the fees of Ethereum, and
 * was below this on the busiest days since Ethereum has blobs.
 */
const OP_STACK: ReadonlySet<string> = new Set(["eip155:10", "eip155:8453", "eip155:11155420", "eip155:84532"])
const OP_STACK_BYTE_FEE = 100n * GWEI

const DEFAULT_CAP: FeeCap = { perGas: 1000n * GWEI, total: WEI_PER_TOKEN }

function caps(chainIds: string, gwei: number, tenths: number): [caip2: string, cap: FeeCap][] {
  const cap = { perGas: BigInt(gwei) * GWEI, total: (BigInt(tenths) * WEI_PER_TOKEN) / 10n }
  return chainIds.split(" ").map((chainId) => [`eip155:${chainId}`, cap])
}

function byChain<Value>(form: string, read: (text: string) => Value | undefined): Setting<ByChain<Value>> {
  return shownAsWritten((text = "") => {
    const values = new Map<string, Value>()
    for (const entry of text.split(",").map((one) => one.trim())) {
      if (entry === "") continue
      const [, caip2 = "", rest = ""] = /^(eip155:[1-9][0-9]{0,18})=(.+)$/.exec(entry) ?? []
      const value = caip2 === "" ? undefined : read(rest)
      if (value === undefined) throw invalid(`write chains with their values as eip155:ID=${form}`)
      if (values.has(caip2)) throw invalid(`${caip2} occurs twice`)
      values.set(caip2, value)
    }
    return values
  })
}

/** A decimal number with at most that many digits after its point, in its smallest unit. */
function readUnits(text: string | undefined, decimals: number): bigint | undefined {
  const [, whole, fraction = ""] = /^([0-9]{1,15})(?:\.([0-9]+))?$/.exec(text ?? "") ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`
}
