import type { StoredChange, StoredLane } from "../store.ts"
import type { Statements } from "./statements.ts"

/** One statement of a transaction. */
export type Write = StoredChange | { is: "lane"; lane: StoredLane }

/** @throws LaneMoved */
export function execute(write: Write, statements: Statements): void {
  switch (write.is) {
    case "entry":
      return statements.putEntry(write.shard, write)
    case "removal":
      return statements.removeEntry(write.shard, write.name)
    case "shard":
      return statements.putShard(write.name, write.stored)
    case "lane":
      if (!statements.advanceLane(write.lane)) throw new LaneMoved()
      return
    default:
      return write satisfies never
  }
}

/** A lane is not at the sequence before: the transaction is not written. */
class LaneMoved extends Error {
  /** Passed on by the thread with the codes of SQLite, of which none is negative. */
  readonly errcode = LANE_MOVED

  constructor() {
    super("a lane of the ledger is at another sequence")
  }
}

const LANE_MOVED = -1

export const isLaneMoved = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === LANE_MOVED

/** Approximate number of bytes that a write adds to the write-ahead log. */
export function logBytesOf(write: Write): number {
  switch (write.is) {
    case "entry":
      return write.row.value.length + LOG_BYTES_PER_ROW
    case "removal":
      return LOG_BYTES_PER_ROW
    case "shard":
    case "lane":
      return 0
    default:
      return write satisfies never
  }
}

/** A row touches about two pages, its own and one of the index. */
const LOG_BYTES_PER_ROW = 2 * 4096
