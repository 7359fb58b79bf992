import { create, type MessageInitShape } from "@bufbuild/protobuf"
import {
  FillValue,
  type NeededFill,
  type TransactionFill,
  TransactionFillSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { canonicalChain } from "../../chains/chains.ts"
import type { Database } from "../../database/database.ts"
import type { Jobs } from "../../database/jobs.ts"
import type { LedgerSync } from "../signer/ledger-sync.ts"
import { lockNonces, type NonceLock } from "../store/nonce-lock.ts"
import {
  type ChainAccount,
  endReservation,
  getReservation,
  noncesInUse,
  type Reservation,
  reserveNonce,
} from "../store/sends.ts"
import { estimateGas } from "./estimate.ts"
import { firstFree } from "./free-nonce.ts"
import { Turns } from "./turns.ts"
import { gasStationNonce, isDelegatedTo } from "./delegation.ts"
import { askNode, type Nodes } from "./nodes.ts"

type Fill = MessageInitShape<typeof TransactionFillSchema>

type SenderDeps = {
  nodes: Nodes
  sql: Database
  /** A pool of its own: a held lock keeps a connection, while storing the outcome needs another. */
  locksSql: Database
  jobs: Pick<Jobs, "prepare">
  ledgerSync: Pick<LedgerSync, "recover">
}

/** Fills what callers left open in their sends: nonces, gas and fees, as the nodes of the chain say them. */
export class Sender {
  readonly #deps: SenderDeps
  readonly #turns = new Turns()

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** @throws ApiError CHAIN_NOT_CONFIGURED */
  requireChain(caip2: string): void {
    this.#deps.nodes.require(caip2)
  }

  open(): Sending {
    return new Sending(this.#deps, this.#turns)
  }
}

/**
 * One order's values. Its account's nonces stay locked until the outcome is stored, so that two sends never get one nonce
 * and none is left out. What was reserved when the process dies says which outcome to recover first.
 */
export class Sending {
  readonly #deps: SenderDeps
  readonly #turns: Turns
  #held: (ChainAccount & NonceLock) | undefined

  constructor(deps: SenderDeps, turns: Turns) {
    this.#deps = deps
    this.#turns = turns
  }

  /** @throws ApiError CHAIN_NOT_CONFIGURED, CHAIN_UNAVAILABLE, TRANSACTION_REVERTS */
  async fill(needed: NeededFill, organizationId: string): Promise<TransactionFill> {
    const { caip2 } = needed
    // Before anything is signed: without its queue a transaction would wait.
    this.#deps.nodes.require(caip2)
    await this.#deps.jobs.prepare(canonicalChain(caip2))
    const owner = { organizationId, fingerprint: needed.activityFingerprint }
    const fill = await askNode(caip2, () =>
      caip2.startsWith("solana:") ? this.#solana(caip2) : this.#ethereum(needed, owner),
    )
    return create(TransactionFillSchema, fill)
  }

  /** To be called once the outcome is stored or the order refused: nothing is left to recover. */
  async settle(): Promise<void> {
    if (this.#held !== undefined) await endReservation(this.#deps.sql, this.#held)
  }

  /** Frees the account for the next send. */
  async close(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    await held?.release()
  }

  async #solana(caip2: string): Promise<Fill> {
    const { blockhash, lastValidBlockHeight } = await this.#deps.nodes.solana(caip2).recentBlockhash()
    return { caip2, recentBlockhash: blockhash, lastValidBlockHeight }
  }

  async #ethereum(needed: NeededFill, owner: Reservation): Promise<Fill> {
    const { caip2, from, calls, sponsor, paymaster, delegate } = needed
    const { nodes } = this.#deps
    const node = nodes.ethereum(caip2)
    const wants = (value: FillValue) => needed.values.includes(value)
    const wantsFees = wants(FillValue.MAX_FEE_PER_GAS) || wants(FillValue.MAX_PRIORITY_FEE_PER_GAS)
    const [gasLimit, fees, isDelegated, stationNonce] = await Promise.all([
      wants(FillValue.GAS_LIMIT)
        ? estimateGas(node, { from, calls, byDelegate: delegate !== "" })
        : undefined,
      wantsFees ? nodes.fees(caip2) : undefined,
      wants(FillValue.IS_DELEGATED) ? isDelegatedTo(node, from, delegate) : undefined,
      wants(FillValue.GAS_STATION_NONCE) ? gasStationNonce(node, from, "pending") : undefined,
    ])
    const fill: Fill = {
      caip2,
      ...(gasLimit !== undefined && { gasLimit }),
      ...fees,
      ...(isDelegated !== undefined && { isDelegated }),
      ...(stationNonce !== undefined && { gasStationNonce: String(stationNonce) }),
    }
    // Last: the lock is held only while the order is under way.
    if (wants(FillValue.PAYMASTER_NONCE)) fill.paymasterNonce = await this.#takeNonce(caip2, paymaster, owner)
    if (wants(FillValue.NONCE))
      fill.nonce = sponsor ? await node.nonce(from, "pending") : await this.#takeNonce(caip2, from, owner)
    return fill
  }

  /** The account's next nonce, which nobody else gets until this send is closed. */
  async #takeNonce(caip2: string, address: string, owner: Reservation): Promise<bigint> {
    const account: ChainAccount = { chain: canonicalChain(caip2), account: address.toLowerCase() }
    await this.#lock(account)
    const { sql, ledgerSync, nodes } = this.#deps
    const left = await getReservation(sql, account)
    // A process died between its order and the outcome: the transaction may be signed, and not stored yet.
    if (left && !isSame(left, owner)) await ledgerSync.recover(left.organizationId)
    const pending = await nodes.ethereum(caip2).nonce(address, "pending")
    const nonce = firstFree(pending, await noncesInUse(sql, account, pending))
    await reserveNonce(sql, account, nonce, owner)
    return nonce
  }

  async #lock(account: ChainAccount): Promise<void> {
    const isHeld = this.#held?.chain === account.chain && this.#held.account === account.account
    if (isHeld) return
    await this.close()
    const endTurn = await this.#turns.wait(`${account.chain} ${account.account}`)
    try {
      const lock = await lockNonces(this.#deps.locksSql, account)
      const release = () => lock.release().finally(endTurn)
      this.#held = { ...account, release }
    } catch (error) {
      endTurn()
      throw error
    }
  }
}

function isSame(one: Reservation, other: Reservation): boolean {
  return Buffer.compare(one.fingerprint, other.fingerprint) === 0
}
