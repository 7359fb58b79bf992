import type { StoredChange, StoredLane } from "../store.ts"
import type { Statements } from "./statements.ts"

/** One statement of a transaction. */
export type Write = StoredChange | { is: "lane"; lane: StoredLane }

/** False: a lane is not at the expected sequence, so the caller must roll the transaction back. */
export function executeAll(writes: Iterable<Write>, statements: Statements): boolean {
  for (const write of writes) if (!execute(write, statements)) return false
  return true
}

function execute(write: Write, statements: Statements): boolean {
  if (write.is === "lane") return statements.advanceLane(write.lane)
  if (write.is === "entry") statements.putEntry(write.shard, write)
  else if (write.is === "removal") statements.removeEntry(write.shard, write.name)
  else statements.putShard(write.name, write.stored)
  return true
}

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
