import { existsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import { openConnection } from "./connection.ts"
import type { LedgerLocation } from "./create-ledger.ts"
import { readDeployment, readIdentity } from "./deployment.ts"
import { type LedgerFiles, ledgerFiles } from "./files.ts"
import { GroupCommit } from "./group-commit.ts"
import type {
  GroupedKind,
  IndexChange,
  Ledger,
  LedgerChange,
  LedgerPosition,
  LedgerRow,
  OrganizationHead,
  RowKind,
} from "./ledger.ts"
import { purgeExpired } from "./purge.ts"
import { readChange, readIndexChange, requireTime } from "./read-change.ts"
import { requireSchema } from "./schema.ts"
import { CommittedShards, SHARD_LIMITS, type ShardLimits } from "./shards.ts"
import { Statements } from "./statements.ts"
import { requireWitness, Witness } from "./witness.ts"

export type LedgerOptions = LedgerLocation & {
  /** Ends the process at once; called once, after a write or sync failed. */
  terminate: (error: unknown) => void
  limits?: Partial<ShardLimits>
  /** Called after each transaction with the number of requests it made durable, for metrics and tests. */
  onBatch?: (requests: number) => void
}

/**
 * Opens the ledger on this host's disk for this process alone.
 * @throws LEDGER_MISSING, LEDGER_FOREIGN, LEDGER_FORMAT_UNKNOWN, LEDGER_DAMAGED, LedgerInUse
 */
export function openLedger(options: LedgerOptions): Ledger {
  const files = ledgerFiles(options.directory)
  if (!existsSync(files.database)) throw refuse("LEDGER_MISSING", "the ledger's directory contains no ledger")
  const connection = openConnection(files.database)
  try {
    return serveLedger(connection, files, options)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** `openLedger` over an open connection, which the ledger closes. */
export function serveLedger(connection: DatabaseSync, files: LedgerFiles, options: LedgerOptions): Ledger {
  requireSchema(connection)
  const authenticator = readIdentity(connection, options.key)
  const statements = new Statements(connection)
  const { state, overflowPrefixes } = readDeployment(statements, authenticator)
  requireWitness(files.witness, state.sequence, authenticator)
  const limits = { ...SHARD_LIMITS, ...options.limits }
  const shards = new CommittedShards(statements, authenticator, state, limits, overflowPrefixes)
  const witness = new Witness(files.witness, "r+", authenticator)
  const { terminate, onBatch = () => {} } = options
  return new LocalLedger(shards, new GroupCommit({ connection, shards, witness, terminate, onBatch }), () => {
    connection.close()
    witness.close()
  })
}

class LocalLedger implements Ledger {
  readonly #shards: CommittedShards
  readonly #group: GroupCommit
  readonly #release: () => void
  #isClosed = false

  constructor(shards: CommittedShards, group: GroupCommit, release: () => void) {
    this.#shards = shards
    this.#group = group
    this.#release = release
  }

  head(organizationId: string): OrganizationHead | undefined {
    const head = this.#shards.verified(organizationId)?.head
    return head && { version: head.version, digest: new Uint8Array(head.digest) }
  }

  row(organizationId: string, kind: RowKind, key: string): Uint8Array | undefined {
    const value = this.#shards.value(organizationId, kind, key)
    return value && new Uint8Array(value)
  }

  rows(organizationId: string, kind: RowKind): LedgerRow[] {
    return this.#shards.rows(organizationId, kind)
  }

  group(organizationId: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[] {
    return this.#shards.group(organizationId, kind, group, atMost)
  }

  overflowExceeds(organizationId: string, rows: number): boolean {
    return this.#shards.overflowExceeds(organizationId, rows)
  }

  async commit(changes: LedgerChange[], indexChanges: IndexChange[] = []): Promise<void> {
    const read = changes.map(readChange)
    const readIndex = indexChanges.map(readIndexChange)
    await this.#group.submit((transaction) => {
      for (const change of read) transaction.applyChange(change)
      for (const change of readIndex) transaction.applyIndexChange(change)
    })
  }

  async purge(nowMs: number): Promise<number> {
    return await purgeExpired(this.#shards, this.#group, requireTime(nowMs))
  }

  timeFloorMs(): number {
    return this.#shards.deployment.floorMs
  }

  advanceTimeFloor(nowMs: number): void {
    this.#group.advanceTime(requireTime(nowMs))
  }

  quietUntilMs(): number {
    return this.#shards.deployment.quietUntilMs
  }

  async resetTimeFloor(nowMs: number, quietUntilMs: number): Promise<void> {
    const floorMs = requireTime(nowMs)
    requireTime(quietUntilMs)
    await this.#group.submit((transaction) => {
      this.#group.forgetTime()
      Object.assign(transaction.deployment, { floorMs, quietUntilMs })
    })
  }

  position(): LedgerPosition {
    const { identity } = this.#shards.authenticator
    return { identity: new Uint8Array(identity), sequence: this.#shards.deployment.sequence }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#group.end()
    this.#release()
  }
}
