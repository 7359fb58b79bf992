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
import {
  type ChainAccount,
  endReservations,
  getReservation,
  type Reservation,
  reserveNonces,
} from "../store/sends.ts"
import { type HeldAccounts, lockAccounts } from "./account-locks.ts"
import { estimateGas } from "./estimate.ts"
import { askNode, type Nodes } from "./nodes.ts"
import { accountsOf, type NextNonces, nextNonces } from "./nonces.ts"
import { KeyedTurns } from "./turns.ts"

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
  readonly #turns = new KeyedTurns()

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** @throws ApiError CHAIN_NOT_CONFIGURED */
  requireChain(caip2: string, field?: string): void {
    this.#deps.nodes.require(caip2, field)
  }

  open(): Sending {
    return new Sending(this.#deps, this.#turns)
  }
}

/**
 * One order's values. Its accounts' nonces stay locked until the outcome is stored, so that two sends never get one nonce and
 * none is left out. If the process dies, the reserved nonces name the outcome to recover first.
 */
export class Sending {
  readonly #deps: SenderDeps
  readonly #turns: KeyedTurns
  #held: HeldAccounts | undefined

  constructor(deps: SenderDeps, turns: KeyedTurns) {
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
    if (this.#held !== undefined) await endReservations(this.#deps.sql, this.#held.accounts)
  }

  /** Frees the accounts for their next sends. */
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
    const { caip2, from, calls, delegate } = needed
    const { nodes } = this.#deps
    const wants = (value: FillValue) => needed.values.includes(value)
    const wantsFees = wants(FillValue.MAX_FEE_PER_GAS) || wants(FillValue.MAX_PRIORITY_FEE_PER_GAS)
    const [gasLimit, fees] = await Promise.all([
      wants(FillValue.GAS_LIMIT)
        ? estimateGas(nodes.ethereum(caip2), { from, calls, byDelegate: delegate !== "" })
        : undefined,
      wantsFees ? nodes.fees(caip2) : undefined,
    ])
    // Last: accounts stay locked while the order is under way.
    return {
      caip2,
      ...(gasLimit !== undefined && { gasLimit }),
      ...fees,
      ...(await this.#nonces(needed, owner)),
    }
  }

  /** Nonces that no other send gets until this one is closed. */
  async #nonces(needed: NeededFill, owner: Reservation): Promise<NextNonces> {
    const { sql, ledgerSync, nodes } = this.#deps
    const accounts = accountsOf(needed)
    if (accounts.length > 0) await this.#lock(accounts)
    for (const account of accounts) {
      const left = await getReservation(sql, account)
      // A process died between its order and the outcome: the transaction may be signed, and not stored yet.
      if (left && !isSame(left, owner)) await ledgerSync.recover(left.organizationId)
    }
    const next = await nextNonces(needed, nodes.ethereum(needed.caip2), sql)
    await reserveNonces(sql, accounts, owner)
    return next
  }

  async #lock(accounts: readonly ChainAccount[]): Promise<void> {
    const isHeld = (account: ChainAccount) =>
      this.#held?.accounts.some((held) => held.chain === account.chain && held.account === account.account)
    if (accounts.every(isHeld)) return
    await this.close()
    this.#held = await lockAccounts(accounts, this.#turns, this.#deps.locksSql)
  }
}

function isSame(one: Reservation, other: Reservation): boolean {
  return Buffer.compare(one.fingerprint, other.fingerprint) === 0
}
