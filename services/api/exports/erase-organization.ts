import { REFUSED, StartError } from "../../../signer/core/settings/start-fault.ts"
import type { Database } from "../../database/database.ts"
import {
  activitiesOf,
  hasOpenSend,
  recordErasure,
  removeNotifications,
  removeRowsOf,
} from "../store/erasures.ts"
import { isFinal } from "../store/activities.ts"
import { type ActivityKey, removeActivities } from "../store/old-activities.ts"
import { getOrganization } from "../store/organizations.ts"
import { StoredOrganization } from "../store/stored-organization.ts"
import type { ExportFolder } from "./export-files.ts"
import { contentsOf, mentionsOf } from "./mentions.ts"

export type EraseDeps = {
  sql: Database
  folder: ExportFolder
  organizationId: string
  /** Contacts and names of the organization's users, by which activities of the parent are found, beside its id. */
  words: readonly string[]
  /** True if the activities are only counted. */
  isDry: boolean
  nowMs: number
}

export type Erased = { ownActivities: number; parentActivities: number; exportedLines: number }

/** Most activities that one statement removes. */
const REMOVED_AT_ONCE = 200

/**
 * Time after its stamp in which a body could be repeated, milliseconds. The row of a signature keeps its body from being signed
 * as another activity (C-1479). An activity of the parent is therefore removed only after this time.
 */
const REPEATABLE_MS = 65 * 60 * 1000

/**
 * Erases a deleted sub-organization. Its rows are removed, and so are the activities of its parent that name it or one of the
 * texts. Their webhook deliveries and their lines in exported files are erased. The id stays used. The next run continues one
 * that was interrupted.
 *
 * @throws {StartError} refused: it is not deleted, the signer's ledger still has its name, or something of it is under way
 */
export async function eraseOrganization(deps: EraseDeps): Promise<Erased> {
  const { sql, folder, organizationId, isDry, nowMs } = deps
  const { parentId } = await requireErasable(deps)
  const mentions = mentionsOf([organizationId, ...deps.words])
  const keys = await parentActivities(deps, parentId, mentions)
  if (isDry) return { ...(await count(deps)), parentActivities: keys.length }
  await recordErasure(sql, { organizationId, parentId, ownActivities: 0, parentActivities: 0 }, nowMs)
  let removed = 0
  for (let start = 0; start < keys.length; start += REMOVED_AT_ONCE) {
    removed += await removeActivities(sql, keys.slice(start, start + REMOVED_AT_ONCE))
  }
  await removeNotifications(sql, parentId, mentions)
  const ownActivities = await removeRowsOf(sql, { organizationId, parentId })
  const erased = { organizationId, parentId, ownActivities, parentActivities: removed }
  await recordErasure(sql, erased, nowMs)
  const exportedLines = await folder.eraseLines(isOfOrganization(organizationId, parentId, mentions))
  return { ownActivities, parentActivities: removed, exportedLines }
}

/** @throws {StartError} refused */
async function requireErasable({ sql, organizationId }: EraseDeps): Promise<{ parentId: string }> {
  const row = await getOrganization(sql, organizationId)
  if (row === undefined) throw refused(`the database has no organization ${organizationId}; check the id`)
  const { document } = new StoredOrganization(row.document)
  if (document.deletedAtMs === 0n)
    throw refused(
      `organization ${organizationId} is not deleted; its users delete it with delete_sub_organization`,
    )
  if (document.name !== "")
    throw refused(
      `the signer's ledger still has the name of organization ${organizationId}; run countersign-signer erase ${organizationId} first`,
    )
  if (await hasOpenSend(sql, organizationId))
    throw refused(
      `a transaction of organization ${organizationId} is under way; erase it when the worker has followed it`,
    )
  return { parentId: document.parentId }
}

/** @throws {StartError} refused: an activity waits for votes, or is so young that its body could be repeated */
async function parentActivities(
  { sql, nowMs }: EraseDeps,
  parentId: string,
  mentions: (value: unknown) => boolean,
): Promise<ActivityKey[]> {
  const keys: ActivityKey[] = []
  for await (const rows of activitiesOf(sql, parentId)) {
    for (const row of rows.filter((one) => mentions(contentsOf(one)))) {
      const { organizationId, id, updatedMs } = row
      if (!isFinal(row))
        throw refused(`activity ${id} of the parent waits for votes; let it end, and erase then`)
      if (nowMs - updatedMs < REPEATABLE_MS)
        throw refused(`activity ${id} of the parent is younger than 65 minutes; erase later`)
      keys.push({ organizationId, id, updatedMs })
    }
  }
  return keys
}

async function count({ sql, organizationId }: EraseDeps): Promise<Omit<Erased, "parentActivities">> {
  let ownActivities = 0
  for await (const rows of activitiesOf(sql, organizationId)) ownActivities += rows.length
  return { ownActivities, exportedLines: 0 }
}

/** True for a line of an export with an activity of the organization, or one of its parent that mentions it. */
function isOfOrganization(
  organizationId: string,
  parentId: string,
  mentions: (value: unknown) => boolean,
): (line: string) => boolean {
  return (line) => {
    const { activity } = JSON.parse(line) as { activity?: { organizationId: string } }
    if (activity?.organizationId === organizationId) return true
    return activity?.organizationId === parentId && mentions(line)
  }
}

function refused(sentence: string): StartError {
  return new StartError(REFUSED, sentence)
}
