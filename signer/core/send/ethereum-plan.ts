import { refuse } from "../refusal.ts"
import { type Authorization, authorizationDigest } from "../transaction/ethereum/authorization.ts"
import type { SignedAuthorization } from "../transaction/ethereum/fields.ts"
import {
  type EthereumSignature,
  type EthereumTransaction,
  ethereumSigningHash,
  ethereumTransactionHash,
  readEthereumTransaction,
  withSignature,
} from "../transaction/ethereum/transaction.ts"
import { type FeeMarketTransaction, writeEthereumTransaction } from "../transaction/ethereum/write.ts"
import type { EthereumSend } from "./ethereum-send.ts"
import {
  type ChainValues,
  type EthereumValues,
  fillEthereum,
  isValuesMissing,
  requireFees,
  type ValuesMissing,
} from "./fill.ts"
import { requireEndingGas, requireSponsoredGas } from "./gas-bounds.ts"
import { executionDigest, type GasStation, ownBatchCall, packExecution, stationCall } from "./gas-station.ts"
import type { PlanSettings } from "./settings.ts"

/** A send with all its values: policies decide on it, and it alone is signed. */
export type EthereumPlan = {
  readonly send: EthereumSend
  /** The transaction as policies see it, once for each call. A sponsored one costs its sender nothing. */
  readonly shown: readonly EthereumTransaction[]
  /** The end of a delegation: policies see its authorization, of the zero address. */
  readonly undelegation: Authorization | undefined
  /** Account whose nonce the transaction uses, and that nonce. */
  readonly account: string
  readonly nonce: bigint
  /** Nonce of the delegate contract that the calls use; undefined: no delegate runs them. */
  readonly gasStationNonce: bigint | undefined
  /** The authorization that comes with the transaction, of the delegate or of the zero address. */
  readonly authorization: Authorization | undefined
  /** Greatest cost of the gas, wei. */
  readonly maxCost: bigint
  /** Unix time in milliseconds after which the delegate refuses the calls; 0: without limit. */
  readonly validUntilMs: number
  /** Signs each digest once. */
  readonly sign: (signers: DigestSigners) => SignedBytes
}

/** A transaction as nodes take it, and its hash: 0x and lower-case hexadecimal. */
export type SignedBytes = { readonly raw: Uint8Array; readonly hash: string }

/** `payer`: signs the transaction; the sender or the paymaster. */
export type DigestSigners = Readonly<Record<"sender" | "payer", (digest: Uint8Array) => EthereumSignature>>

type Terms = {
  readonly settings: PlanSettings
  /** Address of the paymaster's account. */
  readonly paymaster: string
  readonly nowMs: number
}

const ZERO_ADDRESS = `0x${"00".repeat(20)}`
/** The time that a call of the delegate is valid if the body names no deadline. */
const DEFAULT_DEADLINE_SECONDS = 3600

/**
 * @param read values of the chain that the API tier has read; undefined: none
 * @throws SEND_FEE_OVER_CAP, SEND_INVALID, GAS_STATION_UNCONFIGURED, SEND_DEADLINE_INVALID, Fault transaction
 */
export function planEthereumSend(
  send: EthereumSend,
  read: ChainValues | undefined,
  terms: Terms,
): EthereumPlan | ValuesMissing {
  const { settings } = terms
  const delegation = usesDelegate(send) ? delegationOf(send, terms) : undefined
  const values = fillEthereum(send, read)
  if (isValuesMissing(values)) return values
  requireFees(values, settings.feeCap(send.caip2), send.caip2)
  const plan =
    delegation === undefined ? planOwn(send, values) : planDelegated(send, values, terms, delegation)
  return { send, maxCost: values.gas * values.maxFeePerGas, ...plan }
}

function usesDelegate({ kind }: EthereumSend): boolean {
  return kind === "batch" || kind === "sponsored"
}

type Planned = Omit<EthereumPlan, "send" | "maxCost">

/** A transaction of the sender with one call, or the end of their delegation. */
function planOwn(send: EthereumSend, values: EthereumValues): Planned {
  const { chainId, from, calls } = send
  const undelegation =
    send.kind === "undelegation" ? { chainId, address: ZERO_ADDRESS, nonce: values.nonce + 1n } : undefined
  const call = calls[0] ?? { to: from, value: 0n, data: "0x" }
  const base = { ...outerOf(send, values), ...call }
  const unsigned = writeEthereumTransaction({ ...base, authorizations: unsignedOnes(undelegation) })
  return {
    shown: [readEthereumTransaction(unsigned)],
    undelegation,
    account: from,
    nonce: values.nonce,
    gasStationNonce: undefined,
    authorization: undelegation,
    validUntilMs: 0,
    sign({ sender, payer }) {
      const authorizations = undelegation === undefined ? [] : [signAuthorization(undelegation, sender)]
      return signTransaction({ ...base, authorizations }, payer)
    },
  }
}

/** A signature of the greatest length, in place of one that is not made yet. */
const LONGEST: EthereumSignature = { r: 2n ** 256n - 1n, s: 2n ** 256n - 1n, parity: 1 }

/** The greatest length of a plan's signed transaction, bytes. */
export function greatestLength({ sign }: Pick<EthereumPlan, "sign">): number {
  return sign({ sender: () => LONGEST, payer: () => LONGEST }).raw.length
}

type Delegation = { readonly station: GasStation; readonly deadline: bigint }

/** Calls that the delegate runs: sent by the paymaster, or by the sender to themselves. */
function planDelegated(
  send: EthereumSend,
  values: EthereumValues,
  { paymaster }: Terms,
  { station, deadline }: Delegation,
): Planned {
  const { chainId, from, calls } = send
  const isSponsored = send.kind === "sponsored"
  const isBatch = !isSponsored || calls.length > 1
  const execution = { account: from, chainId, nonce: values.gasStationNonce, deadline, calls }
  // The chain counts the sender's own transaction before it reads their authorization (EIP-7702).
  const authorizationNonce = isSponsored ? values.nonce : values.nonce + 1n
  const authorization = values.isDelegated
    ? undefined
    : { chainId, address: station.delegate, nonce: authorizationNonce }
  const account = isSponsored ? paymaster : from
  const nonce = isSponsored ? values.paymasterNonce : values.nonce
  const outer = {
    ...outerOf(send, { ...values, nonce }),
    to: isSponsored ? station.station : from,
    value: 0n,
  }
  const dataWith = (signature: EthereumSignature): string => {
    const packed = packExecution(execution, signature, isBatch)
    return isSponsored ? stationCall(execution, packed, isBatch) : ownBatchCall(execution, packed)
  }
  const authorizations = authorization === undefined ? 0 : 1
  if (isSponsored) requireSponsoredGas(values.gas, dataWith(LONGEST), authorizations)
  if (send.endsBatch !== undefined) {
    requireSameDelegate(send.endsBatch.delegate, station)
    requireEndingGas(values.gas, dataWith(LONGEST), authorizations)
  }
  return {
    shown: shownCalls(send, values, authorization),
    undelegation: undefined,
    account,
    nonce,
    gasStationNonce: values.gasStationNonce,
    authorization,
    validUntilMs: Number(deadline) * 1000,
    sign({ sender, payer }) {
      const data = dataWith(sender(executionDigest(execution, station, isBatch)))
      const signed = authorization === undefined ? [] : [signAuthorization(authorization, sender)]
      return signTransaction({ ...outer, data, authorizations: signed }, payer)
    },
  }
}

/** @throws SEND_NOT_REPLACEABLE */
function requireSameDelegate(delegate: string | undefined, station: GasStation): void {
  if (delegate === undefined || delegate === station.delegate) return
  const sentence = `the batch delegates its account to ${delegate}, and the operator's delegate is ${station.delegate}: its calls end with their deadline; use up its nonce with eth_send_transaction`
  throw refuse("SEND_NOT_REPLACEABLE", sentence, { field: "parameters.signedTransaction" })
}

/** Fields of the transaction that carries the calls. */
function outerOf({ chainId }: EthereumSend, values: EthereumValues) {
  const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = values
  return { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }
}

/** Each call as a transaction of the sender. Fees are 0 if another pays them. */
function shownCalls(
  { kind, chainId, calls }: EthereumSend,
  { nonce, gas, maxFeePerGas, maxPriorityFeePerGas }: EthereumValues,
  authorization: Authorization | undefined,
): EthereumTransaction[] {
  const paid =
    kind === "sponsored" ? NO_FEES : { gas, gasPrice: maxFeePerGas, maxFeePerGas, maxPriorityFeePerGas }
  return calls.map((call) => ({
    type: authorization === undefined ? "TYPE_2" : "TYPE_4",
    chainId,
    // A sponsored call of an account that is delegated signs no nonce of the account.
    nonce: kind === "sponsored" ? (authorization?.nonce ?? 0n) : nonce,
    ...paid,
    ...call,
    maxFeePerBlobGas: 0n,
    accessList: [],
    blobVersionedHashes: [],
    authorizationList: [],
    feeCurrency: "",
  }))
}

const NO_FEES = { gas: 0n, gasPrice: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

/** @throws GAS_STATION_UNCONFIGURED, SEND_DEADLINE_INVALID */
function delegationOf({ caip2, kind, given }: EthereumSend, { settings, nowMs }: Terms): Delegation {
  const station = settings.gasStation(caip2)
  if (station === undefined) {
    const what = kind === "sponsored" ? "sponsored sends need" : "several calls at once need"
    const sentence = `${what} a gas station on ${caip2}, and the operator has set none; it belongs in COUNTERSIGN_SIGNER_GAS_STATIONS`
    throw refuse("GAS_STATION_UNCONFIGURED", sentence, { field: "parameters.caip2" })
  }
  const nowSeconds = Math.floor(nowMs / 1000)
  const latest = BigInt(nowSeconds + settings.maxDeadlineSeconds)
  const usual = BigInt(nowSeconds + Math.min(DEFAULT_DEADLINE_SECONDS, settings.maxDeadlineSeconds))
  const deadline = given.deadline ?? usual
  if (deadline > BigInt(nowSeconds) && deadline <= latest) return { station, deadline }
  const sentence = `deadline ${deadline} must be after now (${nowSeconds}) and at most ${latest}, Unix time in seconds`
  throw refuse("SEND_DEADLINE_INVALID", sentence, { field: "parameters.deadline" })
}

/** An authorization without its signature: enough to show the transaction's fields. */
function unsignedOnes(authorization: Authorization | undefined): SignedAuthorization[] {
  return authorization === undefined ? [] : [{ ...authorization, yParity: 0n, r: 0n, s: 0n }]
}

function signAuthorization(authorization: Authorization, sign: DigestSigners["sender"]): SignedAuthorization {
  const { r, s, parity } = sign(authorizationDigest(authorization))
  return { ...authorization, yParity: BigInt(parity), r, s }
}

function signTransaction(transaction: FeeMarketTransaction, sign: DigestSigners["payer"]): SignedBytes {
  const unsigned = writeEthereumTransaction(transaction)
  const raw = withSignature(unsigned, sign(ethereumSigningHash(unsigned)))
  return { raw, hash: ethereumTransactionHash(raw) }
}
