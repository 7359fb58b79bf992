import { setTimeout as sleep } from "node:timers/promises"
import { REFUSED, StartError } from "../../../signer/core/settings/start-fault.ts"
import { EXPORT_FORMAT } from "../../common/activity-export.ts"
import type { Database } from "../../database/database.ts"
import { lastExport, recordExport } from "../store/activity-exports.ts"
import type { ActivityRow } from "../store/activities.ts"
import { getBootProof, removeUnusedBootProofs } from "../store/boot-proofs.ts"
import { storedDeployment } from "../store/deployment.ts"
import {
  FIRST_RECEIPT,
  readOldReceipts,
  type ReceiptKey,
  removeReceipts,
} from "../store/decision-receipts.ts"
import { removeOldDenialCounts } from "../store/denial-quota.ts"
import { sumOldErasures } from "../store/erasures.ts"
import {
  BEGINNING,
  type ActivityPosition,
  countOldActivities,
  type Forecast,
  type OldActivities,
  type OldSend,
  readOldActivities,
  removeActivities,
} from "../store/old-activities.ts"
import { removeUnusedPolicyLists, withPolicyIds } from "../store/policy-lists.ts"
import { activityLine, bootProofLine, proofKeysOf, receiptLine } from "./activity-line.ts"
import type { ExportFolder, ExportWriter, FinishedFile } from "./export-files.ts"

/** Bounds of one file, and of one transaction that removes activities. */
const MAX_FILE_ACTIVITIES = 50_000
const MAX_FILE_CHARACTERS = 128 * 1024 * 1024
const REMOVED_AT_ONCE = 200

/** Time for which each erasure is known by itself, milliseconds: restored backups from before it must be erased again. */
const ERASURES_MS = 366 * 86_400_000

export type PruneDeps = {
  sql: Database
  folder: ExportFolder
  /** Activities that are final and unchanged since before this time, Unix milliseconds. */
  beforeMs: number
  /** Called after each file and its removal. */
  onFile?: (file: { file: number; activities: number }) => void
  /** Waits between statements; replaced in tests. */
  pause?: (ms: number) => Promise<unknown>
}

export type Pruned = { files: number; exported: number; removed: number; bootProofs: number }

/**
 * Exports old activities to files and removes them, beside the load of the API. Each statement reads or removes a bounded
 * number of rows by an index, and is followed by a pause of the same length. A file is on disk and recorded before the first of
 * its activities is removed. A run that was killed is continued by the next one: activities of its last file are removed,
 * and none is exported again.
 *
 * @throws {StartError} refused: the database has no deployment, or the folder is another deployment's
 */
export async function prune(deps: PruneDeps): Promise<Pruned> {
  const { sql, folder, beforeMs } = deps
  const deployment = await storedDeployment(sql)
  if (deployment === undefined)
    throw new StartError(REFUSED, "the database is of no deployment: start the API first")
  await folder.open()
  const pruned: Pruned = { files: 0, exported: 0, removed: 0, bootProofs: 0 }
  let { file, digest } = await continueLast(deps, deployment.id, pruned)
  for (let cursor: Position | undefined = { activities: BEGINNING }; cursor !== undefined; ) {
    const header = {
      format: EXPORT_FORMAT,
      file: file + 1,
      previous: digest,
      deploymentId: deployment.id,
      before: new Date(beforeMs).toISOString(),
    } as const
    const written = await writeFile(deps, cursor, header)
    cursor = written.next
    if (written.finished === undefined) continue
    await removeExported(deps, written.finished, pruned)
    pruned.files++
    pruned.exported += written.finished.keys.length
    file = written.finished.file
    digest = written.finished.digest.toString("hex")
    deps.onFile?.({ file, activities: written.finished.keys.length })
  }
  pruned.bootProofs = await removeUnusedBootProofs(sql, beforeMs)
  await removeOldDenialCounts(sql, beforeMs)
  await removeUnusedPolicyLists(sql, Date.now())
  await sumOldErasures(sql, Math.min(beforeMs, Date.now() - ERASURES_MS))
  return pruned
}

/** Finishes the removal of the folder's last file. Returns number and digest that the next file continues. */
async function continueLast(deps: PruneDeps, deploymentId: string, pruned: Pruned) {
  const inFolder = await deps.folder.last(deploymentId)
  if (inFolder) await removeExported(deps, inFolder, pruned)
  // Files may have been moved away: the database knows the last one too.
  const recorded = await lastExport(deps.sql)
  const last = inFolder && inFolder.file >= (recorded?.file ?? 0) ? inFolder : recorded
  return { file: last?.file ?? 0, digest: last ? Buffer.from(last.digest).toString("hex") : "" }
}

type Header = Parameters<ExportFolder["begin"]>[0]

/** The place of a run: among activities, and then among receipts that no activity has. */
type Position = { activities: ActivityPosition } | { receipts: ReceiptKey }

/** Writes the next file. `finished` undefined: nothing old follows the cursor. */
async function writeFile(
  deps: PruneDeps,
  start: Position,
  header: Header,
): Promise<{ next: Position | undefined; finished?: FinishedFile }> {
  let writer: ExportWriter | undefined
  const begin = async () => (writer ??= await deps.folder.begin(header))
  const bootProofs = new Set<string>()
  try {
    let cursor: Position | undefined = start
    while (cursor !== undefined && !isFull(writer))
      cursor =
        "activities" in cursor
          ? await addActivities(deps, cursor.activities, { begin, bootProofs })
          : await addReceipts(deps, cursor.receipts, begin)
    return { next: cursor, ...(writer && { finished: await writer.finish() }) }
  } catch (error) {
    await writer?.abandon().catch(() => undefined)
    throw error
  }
}

type Begin = () => Promise<ExportWriter>

async function addActivities(
  deps: PruneDeps,
  cursor: ActivityPosition,
  { begin, bootProofs }: { begin: Begin; bootProofs: Set<string> },
): Promise<Position> {
  const { rows, sends, next } = await readPage(deps, cursor)
  for (const row of rows) await addActivity(deps.sql, await begin(), row, sends, bootProofs)
  return next === undefined ? { receipts: FIRST_RECEIPT } : { activities: next }
}

async function addReceipts(
  { sql, beforeMs, pause = sleep }: PruneDeps,
  cursor: ReceiptKey,
  begin: Begin,
): Promise<Position | undefined> {
  const { rows, next } = await resting(pause, () => readOldReceipts(sql, beforeMs, cursor))
  for (const row of rows) {
    const { organizationId, voteId } = row
    await (await begin()).addReceipt(receiptLine(row), { organizationId, voteId })
  }
  return next && { receipts: next }
}

function isFull(writer: ExportWriter | undefined): boolean {
  if (writer === undefined) return false
  const { activities, characters } = writer.size
  return activities >= MAX_FILE_ACTIVITIES || characters >= MAX_FILE_CHARACTERS
}

function readPage(
  { sql, beforeMs, pause = sleep }: PruneDeps,
  cursor: ActivityPosition,
): Promise<OldActivities> {
  return resting(pause, () => readOldActivities(sql, beforeMs, cursor))
}

/** A boot proof precedes the first activity of its file that needs it: each file is verified by itself. */
async function addActivity(
  sql: Database,
  writer: ExportWriter,
  row: ActivityRow,
  sends: readonly OldSend[],
  bootProofs: Set<string>,
): Promise<void> {
  for (const key of proofKeysOf(row)) {
    if (bootProofs.has(key)) continue
    bootProofs.add(key)
    const proof = await getBootProof(sql, key)
    if (proof !== undefined) await writer.add(bootProofLine(proof))
  }
  const { organizationId, id, updatedMs } = row
  const own = sends.filter(({ activityId }) => activityId === id)
  // A line is read without the database: outcomes have their ids.
  const votes = await withPolicyIds(sql, row)
  await writer.addActivity(activityLine({ ...row, votes }, own), { organizationId, id, updatedMs })
}

async function removeExported(
  { sql, pause = sleep }: PruneDeps,
  { file, digest, keys, receipts }: FinishedFile,
  pruned: Pruned,
): Promise<void> {
  await recordExport(sql, { file, digest, activities: keys.length })
  for (let start = 0; start < keys.length; start += REMOVED_AT_ONCE)
    pruned.removed += await resting(pause, () =>
      removeActivities(sql, keys.slice(start, start + REMOVED_AT_ONCE)),
    )
  for (let start = 0; start < receipts.length; start += REMOVED_AT_ONCE)
    await resting(pause, () => removeReceipts(sql, receipts.slice(start, start + REMOVED_AT_ONCE)))
}

/** Runs a statement, then waits for as long as it took: at most half of one connection's time is used. */
async function resting<Value>(
  pause: (ms: number) => Promise<unknown>,
  run: () => Promise<Value>,
): Promise<Value> {
  const startedAt = performance.now()
  const value = await run()
  await pause(performance.now() - startedAt)
  return value
}

/** Counts what `prune` would export, and changes nothing. */
export async function forecast({
  sql,
  beforeMs,
  pause = sleep,
}: Omit<PruneDeps, "folder">): Promise<Forecast> {
  const sum = { activities: 0, characters: 0 }
  for (let cursor: ActivityPosition | undefined = BEGINNING; cursor !== undefined; ) {
    const at: ActivityPosition = cursor
    const counted = await resting(pause, () => countOldActivities(sql, beforeMs, at))
    sum.activities += counted.activities
    sum.characters += counted.characters
    cursor = counted.next
  }
  return sum
}
