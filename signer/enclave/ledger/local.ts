import { existsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import type { LedgerLocation } from "./create-ledger.ts"
import { SHARD_LIMITS, type ShardLimits, CommittedShards } from "./shards.ts"
import { readChange, readIndexChange, requireTime } from "./read-change.ts"
import { openConnection } from "./connection.ts"
import { readDeployment } from "./deployment.ts"
import { type LedgerFiles, ledgerFiles } from "./files.ts"
import { GroupCommit } from "./group-commit.ts"
import { readIdentity } from "./identity.ts"
import type {
  GroupedKind,
  Ledger,
  LedgerChange,
  LedgerPosition,
  LedgerRow,
  OrganizationHead,
  RowKind,
  IndexChange,
} from "./ledger.ts"
import { purgeExpired } from "./purge.ts"
import { requireSchema } from "./schema.ts"
import { Statements } from "./statements.ts"
import { requireWitness, Witness } from "./witness.ts"

export type LedgerOptions = LedgerLocation & {
  /** Ends the process at once; called after a write or sync failed, and once only. */
  terminate: (error: unknown) => void
  limits?: Partial<ShardLimits>
  /** Told after each transaction how many requests it made durable: for metrics and tests. */
  onBatch?: (requests: number) => void
}

/**
 * Opens the ledger on this host's disk for this process alone.
 * @throws LEDGER_MISSING, LEDGER_FOREIGN, LEDGER_FORMAT_UNKNOWN, LEDGER_DAMAGED, LedgerInUse
 */
export function openLedger(options: LedgerOptions): Ledger {
  const files = ledgerFiles(options.directory)
  if (!existsSync(files.database)) throw refuse("LEDGER_MISSING", "there is no ledger in its directory")
  const connection = openConnection(files.database)
  try {
    return serveLedger(connection, files, options)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** `openLedger` for a connection already made; the ledger closes it. */
export function serveLedger(connection: DatabaseSync, files: LedgerFiles, options: LedgerOptions): Ledger {
  requireSchema(connection)
  const authenticator = readIdentity(connection, options.key)
  const statements = new Statements(connection)
  const { state, overflowPrefixes: shelves } = readDeployment(statements, authenticator)
  requireWitness(files.witness, state.sequence, authenticator)
  const limits = { ...SHARD_LIMITS, ...options.limits }
  const books = new CommittedShards(statements, authenticator, state, limits, shelves)
  const witness = new Witness(files.witness, "r+", authenticator)
  const { terminate: die, onBatch = () => {} } = options
  return new LocalLedger(
    books,
    new GroupCommit({ connection, shards: books, witness, terminate: die, onBatch }),
    () => {
      connection.close()
      witness.close()
    },
  )
}

class LocalLedger implements Ledger {
  readonly #books: CommittedShards
  readonly #group: GroupCommit
  readonly #release: () => void
  #isClosed = false

  constructor(books: CommittedShards, group: GroupCommit, release: () => void) {
    this.#books = books
    this.#group = group
    this.#release = release
  }

  head(organizationId: string): OrganizationHead | undefined {
    const head = this.#books.verified(organizationId)?.head
    return head && { version: head.version, digest: new Uint8Array(head.digest) }
  }

  row(organizationId: string, kind: RowKind, key: string): Uint8Array | undefined {
    const value = this.#books.value(organizationId, kind, key)
    return value && new Uint8Array(value)
  }

  rows(organizationId: string, kind: RowKind): LedgerRow[] {
    return this.#books.rows(organizationId, kind)
  }

  group(organizationId: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[] {
    return this.#books.group(organizationId, kind, group, atMost)
  }

  overflowExceeds(organizationId: string, atMost: number): boolean {
    return this.#books.overflowExceeds(organizationId, atMost)
  }

  async commit(changes: LedgerChange[], side: IndexChange[] = []): Promise<void> {
    const read = changes.map(readChange)
    const readSide = side.map(readIndexChange)
    await this.#group.submit((posting) => {
      for (const change of read) posting.applyChange(change)
      for (const change of readSide) posting.applyIndexChange(change)
    })
  }

  async purge(nowMs: number): Promise<number> {
    return await purgeExpired(this.#books, this.#group, requireTime(nowMs))
  }

  timeFloorMs(): number {
    return this.#books.deployment.floorMs
  }

  advanceTimeFloor(nowMs: number): void {
    this.#group.advanceTime(requireTime(nowMs))
  }

  quietUntilMs(): number {
    return this.#books.deployment.quietUntilMs
  }

  async resetTimeFloor(nowMs: number, quietUntilMs: number): Promise<void> {
    const floorMs = requireTime(nowMs)
    requireTime(quietUntilMs)
    await this.#group.submit((posting) => {
      this.#group.forgetTime()
      Object.assign(posting.deployment, { floorMs, quietUntilMs })
    })
  }

  position(): LedgerPosition {
    const { identity } = this.#books.authenticator
    return { identity: new Uint8Array(identity), sequence: this.#books.deployment.sequence }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#group.end()
    this.#release()
  }
}
