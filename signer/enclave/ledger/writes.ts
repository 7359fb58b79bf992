import type { LaneTerm, LedgerRow, RowName } from "./ledger.ts"
import type { Statements, StoredLane, LedgerOrganization } from "./statements.ts"

/** One statement of a transaction. Every value is bytes, text or a number, so that it can be sent to a thread. */
export type Write =
  | { is: "entry"; shard: string; row: LedgerRow; term: LaneTerm; mac: Uint8Array }
  | { is: "removal"; shard: string; name: RowName }
  | { is: "organization"; id: string; organization: LedgerOrganization }
  | { is: "lane"; lane: StoredLane }

export function execute(write: Write, statements: Statements): void {
  switch (write.is) {
    case "entry":
      return statements.putEntry(write.shard, write)
    case "removal":
      return statements.removeEntry(write.shard, write.name.kind, write.name.key)
    case "organization":
      return statements.putOrganization(write.id, write.organization)
    case "lane":
      return statements.putLane(write.lane)
    default:
      return write satisfies never
  }
}
