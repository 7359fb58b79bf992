import { base58 } from "@scure/base"
import { readBase64 } from "../../signer/core/encodings.ts"
import type { Chain } from "./chains.ts"
import { JsonRpc, NodeUnavailable, type RpcLimits } from "./json-rpc.ts"

/** How settled the state is that a node shows. */
export type SolanaCommitment = "confirmed" | "finalized"

/** The state to read. `minContextSlot`: a node that has not reached this slot refuses. */
type SolanaState = { commitment: SolanaCommitment; minContextSlot?: number }

const CONFIRMED: SolanaState = { commitment: "confirmed" }

/** A block hash for a new transaction, and the block height after which it is refused. */
export type RecentBlockhash = { blockhash: string; lastValidBlockHeight: bigint }

/** State of a transaction that a node knows. `error`: the chain's own JSON, null after success. */
export type SignatureStatus = { slot: bigint; confirmed: boolean; finalized: boolean; error: unknown }

/** Signatures of one getSignatureStatuses (rpc/src/rpc.rs of Agave). */
const MAX_STATUSES = 256

/** Place of the nonce in its account: version(4) || state(4) || authority(32) || nonce(32) || fee(8). */
const NONCE_START = 40
const NONCE_END = 72

/** One Solana chain through its nodes. */
export class SolanaNode {
  readonly #rpc: JsonRpc
  readonly #caip2: string
  readonly #genesis: string
  #verified: Promise<void> | undefined

  constructor({ urls, caip2, reference }: Chain, limits?: RpcLimits) {
    this.#rpc = new JsonRpc(urls, limits)
    this.#caip2 = caip2
    this.#genesis = reference
  }

  /** A block hash that is not rolled back any more in practice. */
  async recentBlockhash(): Promise<RecentBlockhash> {
    const { value } = (await this.#call("getLatestBlockhash", [{ commitment: "confirmed" }])) as {
      value?: { blockhash?: unknown; lastValidBlockHeight?: unknown }
    }
    const height = heightOf(value?.lastValidBlockHeight)
    if (!isBase58(value?.blockhash) || height === undefined) throw lie("getLatestBlockhash")
    return { blockhash: value.blockhash, lastValidBlockHeight: height }
  }

  /** Lamports of an account. */
  async balance(address: string, state = CONFIRMED): Promise<bigint> {
    const { value } = (await this.#call("getBalance", [address, state])) as { value?: unknown }
    const lamports = heightOf(value)
    if (lamports === undefined) throw lie("getBalance")
    return lamports
  }

  /** The sum of a mint over all token accounts of an owner, in its smallest unit. */
  async tokenBalance(owner: string, mint: string, state = CONFIRMED): Promise<bigint> {
    const options = { encoding: "jsonParsed", ...state }
    const { value } = (await this.#call("getTokenAccountsByOwner", [owner, { mint }, options])) as {
      value?: unknown
    }
    if (!Array.isArray(value)) throw lie("getTokenAccountsByOwner")
    return value.reduce((sum: bigint, account: unknown) => sum + tokenAmountOf(account), 0n)
  }

  /** True while nodes include transactions with this block hash. */
  async isUsable(blockhash: string): Promise<boolean> {
    const { value } = (await this.#call("isBlockhashValid", [blockhash, { commitment: "confirmed" }])) as {
      value?: unknown
    }
    if (typeof value !== "boolean") throw lie("isBlockhashValid")
    return value
  }

  /** The durable nonce that an account holds now, Base58; undefined: it is no nonce account any more. */
  async durableNonce(account: string): Promise<string | undefined> {
    const options = { encoding: "base64", commitment: "finalized" }
    const { value } = (await this.#call("getAccountInfo", [account, options])) as { value?: unknown }
    if (value === null) return undefined
    const { data } = (value ?? {}) as { data?: unknown }
    const [text] = Array.isArray(data) ? (data as unknown[]) : []
    const bytes = typeof text === "string" ? readBase64(text) : undefined
    if (bytes === undefined) throw lie("getAccountInfo")
    return bytes.length < NONCE_END ? undefined : base58.encode(bytes.subarray(NONCE_START, NONCE_END))
  }

  /** Height of the newest block that cannot be rolled back. */
  async finalizedHeight(): Promise<bigint> {
    const height = heightOf(await this.#call("getBlockHeight", [{ commitment: "finalized" }]))
    if (height === undefined) throw lie("getBlockHeight")
    return height
  }

  /**
   * Hands a signed transaction to a node, which first simulates it.
   *
   * @throws NodeRefusal with the node's reason
   */
  async sendRaw(raw: Uint8Array): Promise<void> {
    const options = { encoding: "base64", preflightCommitment: "confirmed", maxRetries: 0 }
    await this.#call("sendTransaction", [Buffer.from(raw).toString("base64"), options])
  }

  /** The newest slot that cannot be rolled back. */
  async finalizedSlot(): Promise<bigint> {
    return this.slot("finalized")
  }

  /** The newest slot of a commitment. */
  async slot(commitment: SolanaCommitment): Promise<bigint> {
    const slot = heightOf(await this.#call("getSlot", [{ commitment }]))
    if (slot === undefined) throw lie("getSlot")
    return slot
  }

  /** Undefined: no node knows the transaction. */
  async status(signature: string): Promise<SignatureStatus | undefined> {
    const [status] = await this.statuses([signature])
    return status
  }

  /** One state for each signature, in their order. Undefined: no node knows the transaction. */
  async statuses(signatures: readonly string[]): Promise<(SignatureStatus | undefined)[]> {
    const found: (SignatureStatus | undefined)[] = []
    for (let start = 0; start < signatures.length; start += MAX_STATUSES)
      found.push(...(await this.#statusesOf(signatures.slice(start, start + MAX_STATUSES))))
    return found
  }

  async #statusesOf(signatures: readonly string[]): Promise<(SignatureStatus | undefined)[]> {
    const options = { searchTransactionHistory: true }
    const { value } = (await this.#call("getSignatureStatuses", [signatures, options])) as { value?: unknown }
    if (!Array.isArray(value) || value.length !== signatures.length) throw lie("getSignatureStatuses")
    return value.map(readStatus)
  }

  async #call(method: string, params: readonly unknown[]): Promise<object> {
    this.#verified ??= this.#verifyChain().catch((error: unknown) => {
      this.#verified = undefined
      throw error
    })
    await this.#verified
    const result = await this.#rpc.call(method, params)
    if (result === null) throw lie(method)
    return result as object
  }

  /** The name of a known chain begins its genesis hash; other names are those of private chains. */
  async #verifyChain(): Promise<void> {
    if (this.#genesis.length !== 32) return
    const genesis = await this.#rpc.call("getGenesisHash", [])
    if (typeof genesis !== "string" || !genesis.startsWith(this.#genesis))
      throw new NodeUnavailable(`the node does not belong to ${this.#caip2}; correct COUNTERSIGN_CHAINS`)
  }
}

function readStatus(status: unknown): SignatureStatus | undefined {
  if (status === null) return undefined
  const members = (typeof status === "object" ? status : {}) as { [member: string]: unknown }
  const { slot: number, confirmationStatus, err = null } = members
  const slot = heightOf(number)
  if (slot === undefined) throw lie("getSignatureStatuses")
  const finalized = confirmationStatus === "finalized"
  return { slot, confirmed: finalized || confirmationStatus === "confirmed", finalized, error: err }
}

type TokenAccount = {
  account?: { data?: { parsed?: { info?: { tokenAmount?: { amount?: unknown } } } } }
}

function tokenAmountOf(account: unknown): bigint {
  const amount = (account as TokenAccount | null)?.account?.data?.parsed?.info?.tokenAmount?.amount
  if (typeof amount !== "string" || !/^\d{1,20}$/.test(amount)) throw lie("getTokenAccountsByOwner")
  return BigInt(amount)
}

function lie(method: string): NodeUnavailable {
  return new NodeUnavailable(`the node's answer to ${method} is none that the method has`)
}

function heightOf(value: unknown): bigint | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
}

function isBase58(value: unknown): value is string {
  return typeof value === "string" && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)
}
