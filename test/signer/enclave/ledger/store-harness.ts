// Batches for the tests of stores. A store checks no MAC, so these have any bytes.
import { createHash } from "node:crypto"
import type { Lane, LedgerRow, RowKind } from "../../../../signer/enclave/ledger/ledger.ts"
import { laneOf } from "../../../../signer/enclave/ledger/lanes.ts"
import type {
  Batch,
  LedgerStore,
  NewLedger,
  StoredChange,
  StoredLane,
  Tenure,
} from "../../../../signer/enclave/ledger/store.ts"
import { bytes, head } from "./harness.ts"

export const macOf = (text: string): Uint8Array => new Uint8Array(createHash("sha256").update(text).digest())
const termIn = (shard: string) => ({ lane: laneOf(shard), fence: 1, epoch: 0 })

export const entry = (
  shard: string,
  kind: RowKind,
  key: string,
  value: Uint8Array | string = key,
  expiresMs?: number,
): StoredChange => {
  const row: LedgerRow = { kind, key, value: typeof value === "string" ? bytes(value) : value }
  const timed = expiresMs === undefined ? row : { ...row, expiresMs }
  return { is: "entry", shard, row: timed, term: termIn(shard), mac: macOf(`${key} ${expiresMs}`) }
}

export const removal = (shard: string, kind: RowKind, key: string): StoredChange => ({
  is: "removal",
  shard,
  name: { kind, key },
})

export const shard = (name: string, version = 1): StoredChange => ({
  is: "shard",
  name,
  stored: { head: head(version), term: termIn(name), mac: macOf(`${name} ${version}`) },
})

const lane = (number: Lane, sequence: bigint): StoredLane => ({
  lane: number,
  fence: 1,
  epoch: 0,
  sequence,
  floorMs: 0,
  quietUntilMs: 0,
  mac: macOf(`lane ${number} at ${sequence}`),
})

export const NEW: NewLedger = {
  identity: macOf("identity"),
  seal: macOf("seal"),
  lanes: [lane(0, 1n), lane(1, 1n)],
  changes: [shard("", 0)],
}

/** The one writer of a store, which counts the sequences. */
export class Writer {
  readonly store: LedgerStore
  readonly fence: number
  lanes: StoredLane[]
  /** Number of appends that were shown. */
  shown = 0
  #batches = 0

  constructor(store: LedgerStore, { fence, lanes }: Tenure) {
    this.store = store
    this.fence = fence
    this.lanes = lanes
  }

  /** A batch that follows the latest one, with the lanes of its changes. */
  batch(changes: StoredChange[], parts: Partial<Batch> = {}): Batch {
    const names = changes.map((each) => (each.is === "shard" ? each.name : each.shard))
    const numbers = new Set(names.length === 0 ? [1] : names.map(laneOf))
    this.#batches += 1
    const lanes = this.lanes
      .filter((each) => numbers.has(each.lane))
      .map((each) => ({
        ...each,
        sequence: each.sequence + 1n,
        floorMs: each.floorMs + 7,
        mac: macOf(`${each.lane} ${each.sequence} ${this.#batches}`),
      }))
    const rows = changes.filter((each) => each.is !== "shard").length
    return { fence: this.fence, lanes, changes, rows, ...parts }
  }

  /** Appends a batch and, if it is done, counts it. */
  async append(batch: Batch) {
    const outcome = await this.store.append(batch, () => (this.shown += 1))
    if (outcome.is === "done")
      this.lanes = this.lanes.map((each) => batch.lanes.find((next) => next.lane === each.lane) ?? each)
    return outcome
  }

  /** Appends changes, which must be done. */
  async write(...changes: StoredChange[]): Promise<Batch> {
    const batch = this.batch(changes)
    const outcome = await this.append(batch)
    if (outcome.is !== "done") throw new Error(`not done: ${JSON.stringify(outcome)}`)
    return batch
  }

  /** By lane. */
  sequences(): bigint[] {
    return this.lanes.map(({ sequence }) => sequence)
  }
}

export async function writerOf(store: LedgerStore): Promise<Writer> {
  return new Writer(store, await store.takeOver())
}

/** Everything that a store has, in a form that can be compared. */
export async function contentOf(store: LedgerStore) {
  const names = (await store.rows({ of: "shards", atMost: 10_000 })).map(({ name }) => name)
  const { lanes } = await store.tail([])
  return { lanes: lanes.map(plain), shards: (await store.load(names)).map(plain) }
}

/** The same whatever classes of bytes it has. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, plain(each)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
