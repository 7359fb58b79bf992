import { EthereumNode, type KnownTransaction, type TransactionReceipt } from "../../chains/ethereum.ts"
import { NodeRefusal, NodeUnavailable } from "../../chains/json-rpc.ts"
import {
  type Block,
  changeSend,
  isFinal,
  rivalsOf,
  type Send,
  type SendChange,
  type SendFailure,
} from "../store/sends.ts"
import type { UnsettledSend } from "../store/unsettled-sends.ts"
import { settleEthereum } from "./ethereum-blocks.ts"
import { BaseFollower, type FollowerParts } from "./follower.ts"
import { meaningOf } from "./ethereum-refusals.ts"
import { whyCallsFail } from "./signed-calls.ts"
import { lostTo, waitsBeside } from "./same-nonce.ts"

/** A transaction that waits is handed to the node again after this time: another node may be behind the same address. */
const REBROADCAST_MS = 20_000

/** Nodes behind one address may be apart: a used nonce without a receipt means replacement only after this time. */
const SUPERSEDED_MS = 20_000

/** A transaction that no node ever took fails after this time. Its nonce is then used by the account's next one. */
const UNTAKEN_MS = 10 * 60_000

/** Follows a failure by a used nonce where the calls have a signature and a nonce of their own. */
const SIGNED_CALLS =
  ". Its calls stay valid without this nonce until their deadline: anyone who has its bytes can run them. Do not pay anew before"

/** Follows transactions of one EVM chain. The bytes of a transaction never change: nothing here can sign. */
export class EthereumFollower extends BaseFollower {
  readonly #node: EthereumNode

  constructor(parts: FollowerParts) {
    super(parts)
    this.#node = new EthereumNode(parts.chain)
  }

  protected async pollState(send: Send): Promise<SendChange> {
    const change = await this.#ownState(send)
    if (isFinal(change)) return change
    const { sql, chain } = this.parts
    return { ...change, failure: waitsBeside(send, change.failure, await rivalsOf(sql, send, chain.caip2)) }
  }

  async #ownState(send: Send): Promise<SendChange> {
    if (send.broadcastMs === undefined) return this.#broadcast(send)
    const [receipt, isKnown] = await Promise.all([
      this.#node.receipt(send.hash),
      this.#node.transaction(send.hash).then((transaction) => transaction !== undefined),
    ])
    if (receipt) return this.#mined(send, receipt)
    if (!isKnown || this.nowMs - send.broadcastMs >= REBROADCAST_MS) return this.#broadcast(send)
    return this.#unlessSuperseded(send)
  }

  protected pollBlocks(sends: readonly UnsettledSend[]): Promise<UnsettledSend[]> {
    const { sql, finality, chain } = this.parts
    const confirmations = finality.confirmations(chain.caip2)
    const mined = (send: UnsettledSend, receipt: TransactionReceipt) => this.#mined(send, receipt)
    return settleEthereum(sends, { node: this.#node, sql, confirmations, mined })
  }

  async #mined(send: MinedSend, receipt: TransactionReceipt): Promise<SendChange> {
    const { confirmations } = this.parts
    const newest = confirmations > 1 ? await this.#node.blockNumber() : receipt.blockNumber
    if (newest - receipt.blockNumber + 1n < BigInt(confirmations)) return { status: "BROADCASTING" }
    const included = {
      status: "INCLUDED",
      ...this.#restsOn({ number: receipt.blockNumber, hash: receipt.blockHash }),
    } as const
    if (receipt.succeeded) return included
    return { ...included, failure: await this.#whyReverted(send, receipt) }
  }

  /** The block that a status rests on, unless the chain counts it as final already. */
  #restsOn(block: Block): Pick<SendChange, "unsettledAt"> {
    const { confirmations, finality, chain } = this.parts
    return finality.confirmations(chain.caip2) > BigInt(confirmations) ? { unsettledAt: block } : {}
  }

  async #broadcast(send: Send): Promise<SendChange> {
    await this.#node.requireChain()
    const attempt = { ...send, broadcastMs: send.broadcastMs ?? this.nowMs }
    const isFirst = send.broadcastMs === undefined
    // Before the bytes leave: after a crash or a lost answer, a node may have them.
    if (isFirst) await this.#change(send, attempt)
    try {
      await this.#node.sendRaw(send.raw)
    } catch (error) {
      const isOfNode = error instanceof NodeRefusal || error instanceof NodeUnavailable
      const isUntaken = isFirst && isOfNode && !error.mayBeDone
      const judged = isUntaken ? send : attempt
      if (error instanceof NodeRefusal) return this.#refused(judged, error)
      if (isUntaken) await this.#change(send, judged)
      throw error
    }
    this.countBroadcast("accepted")
    return { supersededMs: undefined, ...(await this.#afterBroadcast(send)), broadcastMs: this.nowMs }
  }

  #change(send: Send, { status, broadcastMs }: Send): Promise<void> {
    return changeSend(this.parts.sql, send, { status, broadcastMs })
  }

  /** @param send with `broadcastMs` only if some node may have the bytes: then the refusal of one node ends nothing */
  async #refused(send: Send, refusal: NodeRefusal): Promise<SendChange> {
    const { broadcastMs } = send
    const meaning = meaningOf(refusal)
    this.countBroadcast(meaning === "known" ? "accepted" : "refused")
    const failure = { message: `the node refused the transaction: ${refusal.message}` }
    switch (meaning) {
      case "known":
        return { status: "BROADCASTING", broadcastMs: this.nowMs }
      case "nonce-used":
        return { broadcastMs, ...(await this.#nonceUsed(send, failure)) }
      case "final":
        if (broadcastMs === undefined) return { status: "FAILED", failure }
        return { broadcastMs, failure, ...(await this.#unlessSuperseded(send)) }
      case "transient":
        return { broadcastMs, ...this.#untaken(send, failure) }
      default:
        return meaning satisfies never
    }
  }

  /** A chain that makes a block for each transaction has the receipt at once. Faults show with the next poll. */
  async #afterBroadcast(send: Send): Promise<SendChange> {
    try {
      const receipt = await this.#node.receipt(send.hash)
      if (receipt) return await this.#mined(send, receipt)
    } catch (error) {
      if (!(error instanceof NodeRefusal || error instanceof NodeUnavailable)) throw error
    }
    return { status: "BROADCASTING" }
  }

  /** A node that takes the transaction later may still mine it, but no caller waits for ever. */
  #untaken(send: Send, failure: SendFailure): SendChange {
    const isOver = send.broadcastMs === undefined && this.nowMs - send.createdMs > UNTAKEN_MS
    return { status: isOver ? "FAILED" : send.status, failure }
  }

  /** The node says that the nonce was used. It was used by this very transaction if its receipt is there. */
  async #nonceUsed(send: Send, failure: SendFailure): Promise<SendChange> {
    const receipt = await this.#node.receipt(send.hash)
    if (receipt) return this.#mined(send, receipt)
    const used = await this.#node.nonce(send.account, "latest")
    // A node that contradicts itself proves nothing.
    return used <= send.nonce ? this.#untaken(send, failure) : this.#unlessSuperseded(send)
  }

  /** Another transaction of the account may have taken the nonce: a replacement by its owner, for example. */
  async #unlessSuperseded(send: Send): Promise<SendChange> {
    const used = await this.#node.nonce(send.account, "latest")
    if (used <= send.nonce) return { status: send.status, supersededMs: undefined, ...waitingFor(send, used) }
    const supersededMs = send.supersededMs ?? this.nowMs
    const replaced = await this.#replacedBy(send)
    if (replaced === undefined && this.nowMs - supersededMs < SUPERSEDED_MS)
      return { status: send.status, supersededMs }
    const { failure, endsCalls } = replaced ?? {
      failure: { message: `another transaction of ${send.account} has used nonce ${send.nonce}` },
      endsCalls: send.signedCalls === null,
    }
    const message = `${failure.message}; this one can no longer be mined${endsCalls ? "" : SIGNED_CALLS}`
    return {
      status: "FAILED",
      failure: { ...failure, message },
      ...this.#restsOn({ number: await this.#node.blockNumber() }),
    }
  }

  /**
   * The failure by a transaction of the same nonce that was sent here and is included; undefined: none is. `endsCalls`: no calls of this one
   * stay valid, as the other one has used their nonce of the delegate too.
   */
  async #replacedBy(send: Send): Promise<{ failure: SendFailure; endsCalls: boolean } | undefined> {
    const { sql, chain } = this.parts
    for (const rival of await rivalsOf(sql, send, chain.caip2)) {
      const receipt = await this.#node.receipt(rival.hash)
      if (receipt === undefined) continue
      const { signedCalls } = send
      const endsCalls = signedCalls === null || (receipt.succeeded && signedCalls === rival.signedCalls)
      return { failure: lostTo(rival, await this.#node.transaction(rival.hash), send), endsCalls }
    }
    return undefined
  }

  async #whyReverted(send: MinedSend, receipt: TransactionReceipt): Promise<SendFailure> {
    const failure = await this.#repeated(send, receipt)
    const reason = await whyCallsFail(this.#node, send, receipt)
    return reason === undefined ? failure : { ...failure, reason }
  }

  /** Runs the call again on the state before its block. Other transactions of that block may have mattered. */
  async #repeated(send: MinedSend, { blockNumber }: TransactionReceipt): Promise<SendFailure> {
    const reverted = "the transaction was mined and reverted"
    const transaction: KnownTransaction | undefined = await this.#node.transaction(send.hash)
    if (transaction?.to === undefined) return { message: reverted }
    const { to, ...call } = transaction
    try {
      await this.#node.call({ ...call, to }, blockNumber - 1n)
      return {
        message: `${reverted}; the call succeeds on the state before its block, so its reason is not known`,
      }
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      const message = `${reverted}: ${error.message}`
      const revert =
        typeof error.data === "string" && /^0x[0-9a-f]*$/i.test(error.data) ? error.data : undefined
      return revert === undefined ? { message } : { message, revert: { address: to, data: revert } }
    }
  }
}

type MinedSend = Pick<Send, "hash" | "signedCalls">

/** Says why a transaction waits if nonces before its own are missing. */
function waitingFor({ nonce, account }: Send, next: bigint): { failure?: SendFailure } {
  if (next === nonce) return {}
  return {
    failure: { message: `waits for the nonces of ${account} before ${nonce}: the chain expects ${next}` },
  }
}
