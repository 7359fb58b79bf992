import type { Record } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { openRecord, type RecordKeys } from "../record/record.ts"
import { requireInPlace } from "../record/state.ts"
import { archiveKey, type RecordName, requireAlive } from "./records.ts"

/**
 * A record as the ledger's own archive has it now, which needs nobody's supply: what is left out of an order is
 * missing from no decision.
 *
 * @throws RESOURCE_UNKNOWN, RECORD_DELETED
 */
export function archivedRecord(
  organizationId: string,
  name: RecordName,
  { ledger, keys }: { ledger: Ledger; keys: RecordKeys },
): Record {
  const { kind, id } = name
  const state = requireAlive(ledger, organizationId, name)
  const bytes = ledger.row(organizationId, "archive-record", archiveKey(kind, id))
  if (bytes === undefined) throw new Error("the archive has every record that lives")
  return requireInPlace(openRecord(bytes, keys), { organizationId, id, kind }, state)
}
