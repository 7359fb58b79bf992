// A store in memory, written apart from SQLite's: what the verbs mean where the writer and the stored bytes are in two places.
import type { OrganizationState, RowName } from "../../../../signer/enclave/ledger/ledger.ts"
import type {
  Appended,
  Batch,
  ExpiredPage,
  ExpiredRow,
  LedgerStore,
  LoadedShard,
  NamedShard,
  NewLedger,
  RowsPage,
  ShardsPage,
  StoredChange,
  StoredLane,
  StoredReads,
  StoredRow,
  StoredShard,
  Tail,
  Tenure,
} from "../../../../signer/enclave/ledger/store.ts"

type KeptBatch = Omit<Batch, "changes"> & { changes: StoredChange[] }
type NumberedRow = StoredRow & { number: number }

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))
const nameOf = ({ kind, key }: RowName): string => `${kind}\0${key}`

/** The bytes of a ledger at one moment. */
class State {
  readonly lanes: StoredLane[] = []
  readonly shards = new Map<string, StoredShard>()
  readonly rows = new Map<string, Map<string, NumberedRow>>()
  #number = 0

  apply({ lanes, changes }: Pick<KeptBatch, "lanes" | "changes">): void {
    for (const change of changes) this.#change(structuredClone(change))
    for (const lane of lanes) this.lanes[lane.lane] = structuredClone(lane)
  }

  #change(change: StoredChange): void {
    if (change.is === "shard") return void this.shards.set(change.name, change.stored)
    const rows = this.rows.get(change.shard) ?? new Map<string, NumberedRow>()
    this.rows.set(change.shard, rows)
    if (change.is === "removal") return void rows.delete(nameOf(change.name))
    const { row, term, mac } = change
    const number = rows.get(nameOf(row))?.number ?? (this.#number += 1)
    rows.set(nameOf(row), { row, term, mac, number })
  }

  /** All rows of a shard, by kind and key. */
  rowsIn(shard: string): StoredRow[] {
    const named = [...(this.rows.get(shard) ?? [])].toSorted(([one], [other]) => compare(one, other))
    return named.map(([, { row, term, mac }]) => structuredClone({ row, term, mac }))
  }
}

/** What is durable. Stores of several writers share it. */
export class MemoryStorage {
  readonly #created: Omit<NewLedger, "changes" | "lanes">
  readonly batches: KeptBatch[] = []
  readonly state = new State()
  fence: number
  /** Bytes of row values that one batch may have. */
  room = Number.POSITIVE_INFINITY
  /** The next append: its answer is lost, after it was written or before; or it breaks the connection half-way. */
  next: "answered" | "written and lost" | "lost" | "torn" = "answered"

  constructor({ identity, seal, lanes, changes }: NewLedger) {
    this.#created = { identity, seal }
    this.state.apply({ lanes, changes: [...changes] })
    this.fence = Math.max(...lanes.map(({ fence }) => fence))
  }

  takeOver(): Tenure {
    this.fence += 1
    return structuredClone({ ...this.#created, fence: this.fence, lanes: this.state.lanes })
  }

  /** A transaction of another storage, which this one follows. */
  apply({ lanes, changes }: Batch): void {
    this.state.apply({ lanes, changes: [...changes] })
  }

  /** A transaction of another storage, which this one has from now on. */
  take(batch: KeptBatch): void {
    this.state.apply(batch)
    this.batches.push(batch)
  }

  /** One transaction. Nothing happens between its checks and its end. */
  write(batch: KeptBatch): Appended {
    if (batch.fence !== this.fence) return { is: "refused", because: "fenced" }
    if (batch.lanes.every((lane) => isSameLane(lane, this.state.lanes[lane.lane]))) return { is: "done" }
    const isNext = batch.lanes.every(
      ({ lane, sequence }) => this.state.lanes[lane]?.sequence === sequence - 1n,
    )
    if (!isNext) return { is: "refused", because: "conflict" }
    const bytes = batch.changes.reduce(
      (sum, each) => sum + (each.is === "entry" ? each.row.value.length : 0),
      0,
    )
    if (bytes > this.room) return { is: "refused", because: "full", cause: new Error("no room") }
    this.state.apply(batch)
    this.batches.push(structuredClone(batch))
    return { is: "done" }
  }
}

function isSameLane(one: StoredLane, other: StoredLane | undefined): boolean {
  return one.sequence === other?.sequence && Buffer.compare(one.mac, other.mac) === 0
}

/** A writer. Its reads are those of its own copy, which has what was shown. */
export class MemoryStore implements LedgerStore {
  onFault: ((error: unknown) => void) | undefined
  readonly reads: StoredReads
  readonly #storage: MemoryStorage
  readonly #copy: State
  #tenure: Tenure | undefined
  #failure: Error | undefined
  #appending: Promise<Appended> | undefined
  #isClosed = false

  constructor(storage: MemoryStorage) {
    this.#storage = storage
    this.#copy = new State()
    this.reads = new StateReads(this.#copy)
  }

  async takeOver(): Promise<Tenure> {
    await this.#reach()
    if (this.#tenure !== undefined) throw new Error("this store has a writer")
    this.#tenure = this.#storage.takeOver()
    const { state } = this.#storage
    const rows = [...state.rows].flatMap(([shard, named]) =>
      // In the order of their numbers: the copy numbers them in that order too.
      [...named.values()].map(
        ({ row, term, mac, number }) => [number, { is: "entry", shard, row, term, mac } as const] as const,
      ),
    )
    const shards = [...state.shards].map(([name, stored]) => ({ is: "shard", name, stored }) as const)
    const changes = [...rows.toSorted(([one], [other]) => one - other).map(([, each]) => each), ...shards]
    this.#copy.apply({ lanes: state.lanes, changes })
    return this.#tenure
  }

  async load(names: readonly string[]): Promise<LoadedShard[]> {
    await this.#reach()
    const { state } = this.#storage
    return names.map((name) => ({
      name,
      stored: structuredClone(state.shards.get(name)),
      rows: state.rowsIn(name),
    }))
  }

  rows(page: RowsPage): Promise<StoredRow[]>
  rows(page: ExpiredPage): Promise<ExpiredRow[]>
  rows(page: ShardsPage): Promise<NamedShard[]>
  async rows(page: RowsPage | ExpiredPage | ShardsPage): Promise<unknown[]> {
    await this.#reach()
    return new StateReads(this.#storage.state).page(page as RowsPage)
  }

  append(batch: Batch, onShown: () => void): Promise<Appended> {
    this.#appending = this.#append({ ...batch, changes: [...batch.changes] }, onShown)
    return this.#appending
  }

  async #append(batch: KeptBatch, onShown: () => void): Promise<Appended> {
    await this.#reach()
    if (this.#tenure === undefined) throw new Error("nobody has taken the store over")
    if (this.#failure !== undefined) throw this.#failure
    const { next } = this.#storage
    this.#storage.next = "answered"
    if (next === "lost") return { is: "unknown" }
    if (next === "torn") throw (this.#failure = new Error("the connection broke within the transaction"))
    const outcome = this.#storage.write(batch)
    await turn()
    if (next === "written and lost") return { is: "unknown" }
    if (outcome.is === "done") {
      this.#copy.apply(batch)
      onShown()
    }
    return outcome
  }

  async turn(): Promise<void> {
    await this.#reach()
    if (this.#tenure?.fence !== this.#storage.fence) throw new Error("another writer has the ledger")
  }

  async tail(after: readonly bigint[]): Promise<Tail> {
    await this.#reach()
    const { state, batches } = this.#storage
    const isAfter = ({ lanes }: KeptBatch) => lanes.some(({ lane, sequence }) => sequence > after[lane]!)
    return structuredClone({ lanes: state.lanes, batches: batches.filter(isAfter) })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#appending?.catch(() => undefined)
  }

  /** The way to the stored bytes takes a turn of the event loop. */
  async #reach(): Promise<void> {
    if (this.#isClosed) throw new Error("the store is closed")
    await turn()
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

class StateReads implements StoredReads {
  readonly #state: State

  constructor(state: State) {
    this.#state = state
  }

  shard(name: string): StoredShard | undefined {
    return structuredClone(this.#state.shards.get(name))
  }

  rowsIn(shard: string): StoredRow[] {
    return this.#state.rowsIn(shard)
  }

  row(shard: string, name: RowName): StoredRow | undefined {
    const found = this.#state.rows.get(shard)?.get(nameOf(name))
    return found && structuredClone({ row: found.row, term: found.term, mac: found.mac })
  }

  page(page: RowsPage): StoredRow[]
  page(page: ExpiredPage): ExpiredRow[]
  page(page: ShardsPage): NamedShard[]
  page(page: RowsPage | ExpiredPage | ShardsPage): StoredRow[] | ExpiredRow[] | NamedShard[] {
    if (page.of === "rows") return this.#rows(page)
    return page.of === "expired" ? this.#expired(page) : this.#shards(page)
  }

  #rows({ shard, kind, from, after, before, atMost }: RowsPage): StoredRow[] {
    const found = this.#state.rowsIn(shard).filter(({ row }) => {
      if (row.kind !== kind) return false
      const isBehind = after === undefined || compare(row.key, after) > 0
      const isFrom = from === undefined || compare(row.key, from) >= 0
      return isBehind && isFrom && (before === undefined || compare(row.key, before) < 0)
    })
    return found.slice(0, atMost)
  }

  #expired({ after, untilMs, shard, atMost }: ExpiredPage): ExpiredRow[] {
    const found: ExpiredRow[] = []
    for (const [name, rows] of this.#state.rows)
      for (const { row, number } of rows.values()) {
        const { kind, key, expiresMs } = row
        if (expiresMs === undefined || expiresMs > untilMs) continue
        if (shard === undefined || shard === name) found.push({ expiresMs, number, shard: name, kind, key })
      }
    const order = (one: ExpiredPage["after"], other: ExpiredPage["after"]) =>
      one.expiresMs - other.expiresMs || one.number - other.number
    return found
      .filter((each) => order(each, after) > 0)
      .toSorted(order)
      .slice(0, atMost)
  }

  #shards({ after, before, atMost }: ShardsPage): NamedShard[] {
    const names = [...this.#state.shards.keys()].toSorted(compare)
    const found = names.filter(
      (name) =>
        (after === undefined || compare(name, after) > 0) &&
        (before === undefined || compare(name, before) < 0),
    )
    return found.slice(0, atMost).map((name) => {
      const { term, mac } = this.shard(name)!
      return { name, term, mac }
    })
  }

  organizationStates(after: string, atMost: number): OrganizationState[] {
    const names = [...this.#state.shards.keys()].toSorted(compare)
    const found = names.filter((name) => compare(name, after) > 0 && !name.includes("#"))
    return found.slice(0, atMost).map((organizationId) => {
      const changed = this.row(organizationId, { kind: "changed", key: "" })
      const sequence = changed === undefined ? 0n : Buffer.from(changed.row.value).readBigUInt64BE()
      return { organizationId, version: this.shard(organizationId)!.head.version, sequence }
    })
  }
}
