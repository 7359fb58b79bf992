import { fromBinary } from "@bufbuild/protobuf"
import { ActivityStatus, ActivityStatusSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { ReadArchiveResponse } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Logger } from "../../common/logger.ts"
import type { Database } from "../../database/database.ts"
import { restoreState } from "../store/changes.ts"
import { endRemoved, listStored } from "../store/restored.ts"
import { readState } from "../store/state-change.ts"
import type { Signer } from "./signer.ts"

/** Called with each page of an organization's archive. The first has its document. */
type OnPage = (page: ReadArchiveResponse) => Promise<void> | void

/**
 * Reads an organization's document and records from the signer's archive, page by page.
 * @param pending fingerprints of activities whose statuses the first page has
 */
export async function readWholeArchive(
  signer: Pick<Signer, "readArchive">,
  organizationId: string,
  pending: Uint8Array[],
  onPage: OnPage,
): Promise<void> {
  let position = { cursor: "", afterRecordId: "" }
  let asked = pending
  for (let more = true; more; ) {
    const page = await signer.readArchive(organizationId, position, asked)
    await onPage(page)
    asked = []
    const last = page.records.at(-1)
    more = page.more && last !== undefined
    if (last) position = { cursor: page.nextCursor, afterRecordId: fromBinary(RecordSchema, last).id }
  }
}

/** Names of the statuses of a page; undefined: the ledger no longer knows the activity. */
export function statusNames({ activityStatuses }: ReadArchiveResponse): (string | undefined)[] {
  return activityStatuses.map((status) =>
    status === ActivityStatus.UNSPECIFIED ? undefined : ActivityStatusSchema.value[status]?.name,
  )
}

type RestoreDeps = { signer: Pick<Signer, "readArchive">; sql: Database; log: Logger }

/**
 * Stores the signer's copy of an organization's document and records, as far as it is newer. Ends what the signer no
 * longer has: records, sessions, activities that were pending.
 */
export async function restoreOrganization(
  organizationId: string,
  { signer, sql, log }: RestoreDeps,
): Promise<void> {
  const stored = await listStored(sql, organizationId, Date.now())
  const ids = new Set<string>()
  let first: ReadArchiveResponse | undefined
  let count = 0
  await readWholeArchive(signer, organizationId, stored.pending, async (page) => {
    first ??= page
    for (const bytes of page.records) ids.add(fromBinary(RecordSchema, bytes).id)
    const { organization, change } = readState({ ...page, organizationId, ledgerSequence: 0n })
    await restoreState(sql, { ...change, createdMs: Number(organization?.document.createdAtMs ?? 0) })
    count += page.records.length
  })
  const statuses = first === undefined ? [] : statusNames(first)
  const ledgerSequence = first?.ledgerSequence ?? 0n
  await endRemoved(sql, organizationId, stored, { ids, ledgerSequence, statuses })
  log.warn({ organizationId, records: count }, "restored an organization from the signer's archive")
}
