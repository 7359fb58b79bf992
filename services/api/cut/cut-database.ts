import { createHash, hash } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { activityTypes } from "../../../proto/catalog.ts"
import { Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { RecordKindSchema, RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Logger } from "../../common/logger.ts"
import type { Database } from "../../database/database.ts"
import { activityLine } from "../exports/activity-line.ts"
import { readWholeArchive, restoreOrganization, statusNames } from "../signer/restore-organization.ts"
import type { Signer } from "../signer/signer.ts"
import type { ActivityRow } from "../store/activities.ts"
import {
  documentOf,
  FIRST_RECORD,
  forgetState,
  livingSessions,
  pageOfActivities,
  pageOfRecords,
  removeLostActivities,
  removeOrganization,
  removeStored,
  type SequencedActivity,
  showPendingAgain,
  type StoredBytes,
} from "../store/newer-state.ts"
import type { LedgerStates, NewerOrganization } from "./newer-organizations.ts"
import type { CutReport } from "./report.ts"

type CutDeps = {
  sql: Database
  signer: Pick<Signer, "readArchive">
  log: Logger
  report: CutReport
  nowMs: number
}

/** Numbers of removed objects. `pendingAgain`: activities pending in the ledger. `kept`: activities with disclosed results. */
export type Cut = {
  organizationsCut: number
  organizationsRemoved: number
  recordsRemoved: number
  activitiesRemoved: number
  activitiesPendingAgain: number
  activitiesKept: number
}

/**
 * Brings organizations to the ledger's state. All that the database loses is in the report before it is removed, so a run
 * that was killed is continued by the next one.
 */
export async function cutDatabase(
  newer: readonly NewerOrganization[],
  ledger: Pick<LedgerStates, "highestSequence">,
  deps: CutDeps,
): Promise<Cut> {
  const cut: Cut = {
    organizationsCut: 0,
    organizationsRemoved: 0,
    recordsRemoved: 0,
    activitiesRemoved: 0,
    activitiesPendingAgain: 0,
    activitiesKept: 0,
  }
  for (const organization of newer) {
    if (organization.inLedger === undefined) await removeWhole(organization, cut, deps)
    else await cutOne(organization, organization.inLedger.sequence, ledger.highestSequence, cut, deps)
  }
  await deps.report.add({ end: cut })
  await deps.report.sync()
  return cut
}

/** An organization that was created since: nothing of it is in the ledger, and its keys cannot be used. */
async function removeWhole(
  organization: NewerOrganization,
  cut: Cut,
  { sql, report }: CutDeps,
): Promise<void> {
  const { id } = organization
  await report.add({ organization: { ...(await described(organization, sql)), becomes: "removed" } })
  await eachRecord(sql, id, async (record) => {
    cut.recordsRemoved++
    await report.add(recordLine(id, record))
  })
  await eachActivity(sql, id, -1n, async (page) => {
    cut.activitiesRemoved += page.length
    for (const { row } of page) await report.add(dispositionLine("removed", row))
  })
  await report.sync()
  await sql.begin((tx) => removeOrganization(tx, id))
  cut.organizationsRemoved++
}

async function cutOne(
  organization: NewerOrganization,
  sequence: bigint,
  highestSequence: bigint,
  cut: Cut,
  deps: CutDeps,
): Promise<void> {
  const { sql, signer, report, log, nowMs } = deps
  const { id } = organization
  await report.add({
    organization: { ...(await described(organization, sql)), becomes: "as the ledger has it" },
  })
  const archive = await readArchiveDigests(signer, id)
  const records: StoredBytes[] = []
  await eachRecord(sql, id, async (record) => {
    if (isAsArchived(record, archive)) return
    records.push(record)
    await report.add(recordLine(id, record))
  })
  const sessions = (await livingSessions(sql, id, nowMs)).filter((one) => !isAsArchived(one, archive))
  for (const session of sessions) await report.add(recordLine(id, session))
  const lost: string[] = []
  const pending: [ActivityRow, status: string][] = []
  await eachActivity(sql, id, sequence, async (page) => {
    const candidates = page.filter(
      ({ row, sequence: at = 0n }) => !createsOrganization(row) || at > highestSequence,
    )
    const statuses = await statusesOf(signer, id, candidates)
    for (const [index, { row, sends }] of candidates.entries()) {
      const status = statuses[index]
      if (status !== undefined && !PENDING.includes(status)) continue
      const disposition =
        status !== undefined ? "pending again" : isDisclosed(row, sends) ? "kept" : "removed"
      await report.add(dispositionLine(disposition, row))
      if (status !== undefined) pending.push([row, status])
      else if (disposition === "removed") lost.push(row.id)
      else cut.activitiesKept++
    }
  })
  await report.sync()
  await sql.begin(async (tx) => {
    await forgetState(tx, id)
    await removeStored(tx, id, { records, sessions })
    await removeLostActivities(tx, id, lost)
    for (const [row, status] of pending) await showPendingAgain(tx, row, status)
  })
  await restoreOrganization(id, { signer, sql, log })
  cut.organizationsCut++
  cut.recordsRemoved += records.length
  cut.activitiesRemoved += lost.length
  cut.activitiesPendingAgain += pending.length
}

const PENDING = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"]

/** True if an activity leaves its own organization unchanged: it is newer than the ledger only above all ledger sequences. */
function createsOrganization({ type }: ActivityRow): boolean {
  return activityTypes.get(type)?.consequence === Consequence.CREATES_ORGANIZATION
}

/** True for what has left the signer: a signed transaction, or an exported secret. Its history must stay to be seen. */
function isDisclosed({ type }: ActivityRow, sends: number): boolean {
  return sends > 0 || type.startsWith("ACTIVITY_TYPE_EXPORT_")
}

type Archived = { digest: string; deleted: boolean }

async function readArchiveDigests(
  signer: Pick<Signer, "readArchive">,
  organizationId: string,
): Promise<ReadonlyMap<string, Archived>> {
  const archive = new Map<string, Archived>()
  await readWholeArchive(signer, organizationId, [], ({ records }) => {
    for (const bytes of records) {
      const { id, deleted } = fromBinary(RecordSchema, bytes)
      archive.set(id, { digest: hash("sha256", bytes), deleted })
    }
  })
  return archive
}

/** The database keeps deleted records that the archive no longer has. */
function isAsArchived({ id, deleted, bytes }: StoredBytes, archive: ReadonlyMap<string, Archived>): boolean {
  const archived = archive.get(id)
  if (archived === undefined) return deleted
  const digest = createHash("sha256").update(bytes).digest("hex")
  return archived.digest === digest && (archived.deleted || !deleted)
}

async function statusesOf(
  signer: Pick<Signer, "readArchive">,
  organizationId: string,
  page: readonly SequencedActivity[],
): Promise<(string | undefined)[]> {
  if (page.length === 0) return []
  const fingerprints = page.map(({ row }) => row.fingerprint)
  return statusNames(
    await signer.readArchive(organizationId, { cursor: "", afterRecordId: "" }, fingerprints),
  )
}

async function eachRecord(
  sql: Database,
  organizationId: string,
  use: (record: StoredBytes) => Promise<void>,
): Promise<void> {
  let after = FIRST_RECORD
  for (;;) {
    const page = await pageOfRecords(sql, organizationId, after)
    for (const record of page) await use(record)
    const last = page.at(-1)
    if (last === undefined) return
    after = last
  }
}

async function eachActivity(
  sql: Database,
  organizationId: string,
  sequence: bigint,
  use: (page: SequencedActivity[]) => Promise<void>,
): Promise<void> {
  for (let after = ""; ; ) {
    const page = await pageOfActivities(sql, organizationId, sequence, after)
    const last = page.at(-1)
    if (last === undefined) return
    await use(page)
    after = last.row.id
  }
}

async function described({ id, inDatabase, inLedger }: NewerOrganization, sql: Database): Promise<object> {
  return {
    organizationId: id,
    database: shownState(inDatabase),
    ledger: inLedger === undefined ? null : shownState(inLedger),
    notarizedDocument: Buffer.from(await documentOf(sql, id)).toString("base64"),
  }
}

function shownState({ version, sequence }: NewerOrganization["inDatabase"]): object {
  return { version: String(version), ledgerSequence: String(sequence) }
}

function recordLine(organizationId: string, { kind, id, deleted, bytes }: StoredBytes): object {
  const name =
    kind === undefined ? "SESSION" : RecordKindSchema.values.find(({ number }) => number === kind)?.name
  return { record: { organizationId, kind: name, id, deleted, bytes: Buffer.from(bytes).toString("base64") } }
}

type Disposition = "removed" | "pending again" | "kept"

/** The whole activity, in the form of an export. */
function dispositionLine(disposition: Disposition, row: ActivityRow): string {
  return `{"becomes":"${disposition}",${activityLine(row, []).slice(1)}`
}
