import { refuse } from "../refusal.ts"
import type { EthereumSend } from "./ethereum-send.ts"
import type { FeeCap } from "./settings.ts"

/** Values that the API tier has read from a chain: true or not. Amounts in wei. */
export type ChainValues = {
  readonly caip2: string
  readonly nonce?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly maxPriorityFeePerGas?: bigint | undefined
  /** Decimal digits; empty: not read. */
  readonly gasStationNonce: string
  readonly isDelegated?: boolean | undefined
  readonly paymasterNonce?: bigint | undefined
  /** Base58; empty: not read. */
  readonly recentBlockhash: string
  readonly lastValidBlockHeight: bigint
}

/** A value that a send takes from its chain. */
export type ChainValue =
  | "nonce"
  | "gasLimit"
  | "maxFeePerGas"
  | "maxPriorityFeePerGas"
  | "gasStationNonce"
  | "isDelegated"
  | "paymasterNonce"
  | "recentBlockhash"

/** Chain values that are in neither the body nor the API tier's context. */
export type ValuesMissing = { readonly missing: readonly ChainValue[] }

export function isValuesMissing(value: object): value is ValuesMissing {
  return "missing" in value
}

/** Values of an EVM transaction. `nonce`: the sender's, where it is used. */
export type EthereumValues = {
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly gasStationNonce: bigint
  readonly isDelegated: boolean
  readonly paymasterNonce: bigint
}

const MAX_UINT128 = 2n ** 128n - 1n

/**
 * The values of a send. A value of the body is used as it is; only one that the body omits comes from the API tier. Fees of a
 * sponsored send are the paymaster's, so that the body's have no effect.
 */
export function fillEthereum(
  send: EthereumSend,
  read: ChainValues | undefined,
): EthereumValues | ValuesMissing {
  const { kind, given, caip2, endsBatch } = send
  const chain = read?.caip2 === caip2 ? read : undefined
  const missing: ChainValue[] = []
  const need = (name: ChainValue, value: bigint | undefined, isUsed = true): bigint => {
    if (value === undefined && isUsed) missing.push(name)
    return value ?? 0n
  }
  const isSponsored = kind === "sponsored"
  const usesDelegate = isSponsored || kind === "batch"
  // The end of a batch authorizes the delegate where the batch does, and uses the same nonce for it.
  const delegates = endsBatch === undefined ? chain?.isDelegated : endsBatch.delegate === undefined
  if (usesDelegate && delegates === undefined) missing.push("isDelegated")
  const isDelegated = usesDelegate && delegates === true
  const own = isSponsored ? undefined : given
  const maxFeePerGas = need("maxFeePerGas", own?.maxFeePerGas ?? chain?.maxFeePerGas)
  const values = {
    isDelegated,
    // The sender's nonce is signed in their transaction, or in their authorization.
    nonce: need("nonce", given.nonce ?? chain?.nonce, !isSponsored || !isDelegated),
    gas: need("gasLimit", given.gasLimit ?? chain?.gasLimit),
    maxFeePerGas,
    maxPriorityFeePerGas: need(
      "maxPriorityFeePerGas",
      own?.maxPriorityFeePerGas ?? atMost(maxFeePerGas, chain?.maxPriorityFeePerGas),
    ),
    gasStationNonce: need(
      "gasStationNonce",
      given.gasStationNonce ?? readNonce(chain?.gasStationNonce),
      usesDelegate,
    ),
    paymasterNonce: need("paymasterNonce", chain?.paymasterNonce, isSponsored),
  }
  return missing.length > 0 ? { missing } : values
}

/** A tip that was read gives way to a fee that the body names. */
function atMost(maxFeePerGas: bigint, tip: bigint | undefined): bigint | undefined {
  return tip !== undefined && tip > maxFeePerGas ? maxFeePerGas : tip
}

/** Undefined for a text that is no integer of 128 bits: it is asked for again. */
function readNonce(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^(?:0|[1-9][0-9]{0,38})$/.test(text)) return undefined
  const nonce = BigInt(text)
  return nonce <= MAX_UINT128 ? nonce : undefined
}

/**
 * Refuses fees above the operator's caps, from the body or the API tier.
 * @throws SEND_FEE_OVER_CAP, SEND_INVALID for a tip above the fee
 */
export function requireFees(
  { maxFeePerGas, maxPriorityFeePerGas, gas }: EthereumValues,
  { perGas, total }: FeeCap,
  caip2: string,
): void {
  if (maxPriorityFeePerGas > maxFeePerGas) {
    const sentence = `maxPriorityFeePerGas ${maxPriorityFeePerGas} is above maxFeePerGas ${maxFeePerGas}`
    throw refuse("SEND_INVALID", sentence, { field: "parameters.maxPriorityFeePerGas" })
  }
  if (maxFeePerGas > perGas) throw overCap(`maxFeePerGas is ${maxFeePerGas} wei`, perGas, caip2)
  const cost = gas * maxFeePerGas
  if (cost > total)
    throw overCap(`gasLimit ${gas} times maxFeePerGas ${maxFeePerGas} is ${cost} wei`, total, caip2)
}

function overCap(what: string, cap: bigint, caip2: string) {
  const sentence =
    `${what}, above the cap of ${cap} wei on ${caip2}; name lower fees, or ask the operator to raise ` +
    "COUNTERSIGN_SIGNER_FEE_CAPS"
  return refuse("SEND_FEE_OVER_CAP", sentence, { field: "parameters.maxFeePerGas" })
}
