import { counted } from "../../../signer/core/counted.ts"
import { listActivities, WAITING } from "../../terminal-client/activities/find.ts"
import { lineOf, requestInList } from "../../terminal-client/activities/read.ts"
import { requireOwnActivity } from "../../terminal-client/activities/own-activity.ts"
import { type ActivityJson, activityBody, type ApiClient, post } from "../../terminal-client/api-client.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import type { ActivityDetails } from "../../terminal-client/changes/waiting.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { printEither } from "../../terminal-client/terminal.ts"

export type RejectOptions = {
  /** Activity types, with or without prefix. */
  type?: readonly string[]
  /** Id of the submitter. */
  by?: string
  /** Hours since the submission. */
  olderThan?: string
  all?: true
  dryRun?: true
  json?: boolean
}

type Line = { fingerprint: string; type: string; submitterId: string; createdAt: string }

/**
 * Rejects every waiting activity that fits the options, each by a stamped rejection of its own, and prints each.
 * @throws {CliError} usage, if no option chooses; refused, if a rejection was
 */
export async function rejectWaiting(options: RejectOptions, stamping: Stamping): Promise<void> {
  const { client, organizationId, terminal } = stamping
  const fits = filterOf(options)
  // All of them, before the first is rejected: a rejection moves the activity out of the list.
  const waiting = (await listActivities({ statuses: WAITING, limit: Infinity }, stamping)).filter(fits)
  const rejected: Line[] = []
  const failed: (Line & { error: string })[] = []
  const log = (line: string) => (options.json ? undefined : terminal.print(line))
  for (const activity of waiting) {
    const line = replyOf(activity)
    const words = lineOf(activity, requestInList(activity))
    const text = `${line.fingerprint} of user ${line.submitterId}, submitted ${line.createdAt}: ${words}`
    try {
      if (!options.dryRun) await rejectOne(client, organizationId, activity)
      rejected.push(line)
      log(`${options.dryRun ? "would reject" : "rejected"} ${text}`)
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== ExitCode.refused) throw error
      failed.push({ ...line, error: error.message })
      log(`not rejected ${text}: ${error.lines[0]}`)
    }
  }
  printEither(terminal, options, { dryRun: options.dryRun === true, rejected, failed }, [
    `${rejected.length} of ${counted(waiting.length, "waiting activity", "waiting activities")} that fit`,
  ])
  if (failed.length > 0)
    throw new CliError(ExitCode.refused, `not rejected: ${counted(failed.length, "activity", "activities")}`)
}

/** @throws {CliError} refused, if the vote does not count or the activity has ended meanwhile */
async function rejectOne(
  client: ApiClient,
  organizationId: string,
  activity: ActivityDetails,
): Promise<void> {
  const { fingerprint } = activity
  const body = activityBody("ACTIVITY_TYPE_REJECT_ACTIVITY", organizationId, { fingerprint })
  const reply = (await post(client, "/public/v1/submit/reject_activity", body)) as { activity: ActivityJson }
  await requireOwnActivity(reply.activity, body)
  const { status } = reply.activity
  if (status !== "ACTIVITY_STATUS_REJECTED") throw new CliError(ExitCode.refused, `its status is ${status}`)
}

function filterOf({ type, by, olderThan, all }: RejectOptions): (activity: ActivityDetails) => boolean {
  if (type === undefined && by === undefined && olderThan === undefined && !all)
    throw usage("choose by --type, --by or --older-than, or reject all with --all")
  const hours = olderThan === undefined ? 0 : Number(olderThan)
  if (!Number.isFinite(hours) || hours < 0) throw usage(`--older-than ${olderThan}: not a number of hours`)
  const types = type?.map((name) => `ACTIVITY_TYPE_${name.toUpperCase().replace(/^ACTIVITY_TYPE_/, "")}`)
  const before = Date.now() - hours * 3_600_000
  return (activity) =>
    (types === undefined || types.includes(activity.type)) &&
    (by === undefined || activity.votes[0]?.userId === by.toLowerCase()) &&
    (olderThan === undefined || Date.parse(activity.createdAt) < before)
}

function replyOf({ fingerprint, type, votes, createdAt }: ActivityDetails): Line {
  return { fingerprint, type, submitterId: votes[0]?.userId ?? "", createdAt }
}
