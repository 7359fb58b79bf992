import { ethereumAddressBytes } from "../address/ethereum.ts"
import { refuse } from "../refusal.ts"
import { type Call, MAX_BATCH } from "./gas-station.ts"

/** A send as its stamped body says it. Addresses and data in lower-case hexadecimal with 0x; amounts in wei. */
export type EthereumSend = {
  /**
   * - plain: one transaction of the sender (EIP-1559)
   * - batch: several calls, run by the delegate and paid by the sender (EIP-7702)
   * - sponsored: calls that the paymaster sends and pays
   * - undelegation: ends the sender's delegation (EIP-7702)
   */
  readonly kind: "plain" | "batch" | "sponsored" | "undelegation"
  readonly caip2: string
  /** From the stamped chain only. */
  readonly chainId: bigint
  readonly from: string
  readonly calls: readonly Call[]
  /** Values that the body gives: they are used as they are. */
  readonly given: GivenValues
  /** Set if the send cancels a waiting batch: `delegate` is the one that the batch authorizes; undefined: none. */
  readonly endsBatch?: { readonly delegate: string | undefined }
}

export type GivenValues = {
  readonly nonce: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly maxFeePerGas: bigint | undefined
  readonly maxPriorityFeePerGas: bigint | undefined
  readonly gasStationNonce: bigint | undefined
  /** Unix time, seconds. */
  readonly deadline: bigint | undefined
}

/** Parameters of a send or of an undelegation, as their reader returned them. */
export type EthereumSendParameters = { readonly from: string; readonly caip2: string } & {
  readonly [field in "to" | "value" | "data" | "nonce" | "gasLimit" | "maxFeePerGas"]?: string | undefined
} & {
  readonly [field in "maxPriorityFeePerGas" | "gasStationNonce" | "deadline"]?: string | undefined
} & {
  readonly sponsor?: boolean | undefined
  readonly calls?: readonly CallParameters[]
}

type CallParameters = {
  readonly to: string
  readonly value?: string | undefined
  readonly data?: string | undefined
}

/** @throws SEND_ADDRESS_INVALID, SEND_INVALID, SEND_VALUE_UNUSED, SEND_CALLS_EXCEEDED */
export function readEthereumSend(parameters: EthereumSendParameters): EthereumSend {
  const { caip2, to } = parameters
  const calls = to === undefined ? readCalls(parameters.calls ?? []) : [readCall({ ...parameters, to }, "")]
  const send = {
    kind: kindOf(parameters),
    caip2,
    chainId: BigInt(caip2.slice("eip155:".length)),
    from: readSender(parameters.from),
    calls,
    given: readGiven(parameters),
  } as const
  requireUsed(send)
  return send
}

function kindOf({ to, calls, sponsor }: EthereumSendParameters): EthereumSend["kind"] {
  if (to === undefined && calls === undefined) return "undelegation"
  if (sponsor === true) return "sponsored"
  return (calls?.length ?? 1) > 1 ? "batch" : "plain"
}

function readGiven(parameters: EthereumSendParameters): GivenValues {
  return {
    nonce: integer(parameters.nonce),
    gasLimit: integer(parameters.gasLimit),
    maxFeePerGas: integer(parameters.maxFeePerGas),
    maxPriorityFeePerGas: integer(parameters.maxPriorityFeePerGas),
    gasStationNonce: integer(parameters.gasStationNonce),
    deadline: integer(parameters.deadline),
  }
}

function integer(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text)
}

/** A private key id is refused: an address names one key on one chain, also to those who read the body. */
function readSender(from: string): string {
  const address = ethereumAddressBytes(from)
  if (address !== undefined) return hexOf(address)
  const sentence = `from must be an Ethereum address (0x and 40 hex digits) of an account or private key; ids are not taken`
  throw refuse("SEND_ADDRESS_INVALID", sentence, { field: "parameters.from" })
}

function readCalls(calls: readonly CallParameters[]): Call[] {
  return calls.map((call, index) => readCall(call, `calls[${index}].`))
}

function readCall({ to, value = "0", data = "0x" }: CallParameters, path: string): Call {
  const address = ethereumAddressBytes(to)
  if (address === undefined) {
    const sentence =
      "to must be an Ethereum address: 0x and 40 hex digits, with the checksum if letters differ in case"
    throw refuse("SEND_ADDRESS_INVALID", sentence, { field: `parameters.${path}to` })
  }
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(data)) {
    const sentence = "data must be 0x and hexadecimal, two digits a byte"
    throw refuse("SEND_INVALID", sentence, { field: `parameters.${path}data` })
  }
  return { to: hexOf(address), value: BigInt(value), data: data.toLowerCase() }
}

/** Refuses stamped values that have no effect: their author relies on them. */
function requireUsed({ kind, calls, given }: EthereumSend): void {
  const usesDelegate = kind === "sponsored" || kind === "batch"
  for (const name of ["gasStationNonce", "deadline"] as const) {
    if (usesDelegate || given[name] === undefined) continue
    const sentence = `${name} has no effect on this send: only sponsored sends and batches of calls have one`
    throw refuse("SEND_VALUE_UNUSED", sentence, { field: `parameters.${name}` })
  }
  if (!usesDelegate || calls.length <= MAX_BATCH) return
  const sentence = `the delegate runs at most ${MAX_BATCH} calls at once, these are ${calls.length}: send them in parts`
  throw refuse("SEND_CALLS_EXCEEDED", sentence, { field: "parameters.calls" })
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`
}
