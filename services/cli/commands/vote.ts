import { findActivity, WAITING } from "../../terminal-client/activities/find.ts"
import { contextOf } from "../../terminal-client/activities/context.ts"
import { linesOfActivity, readActivity, stampedRequest } from "../../terminal-client/activities/read.ts"
import { linesOfOutcome } from "../../terminal-client/activities/outcome.ts"
import { confirm } from "../../terminal-client/ask.ts"
import { type ActivityJson, query } from "../../terminal-client/api-client.ts"
import {
  submitChange,
  type ChangeOptions,
  receiptOf,
  submitKept,
} from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode } from "../../terminal-client/exit.ts"
import { printEither } from "../../terminal-client/terminal.ts"

export type VoteOptions = ChangeOptions & { yes?: boolean }

/**
 * Approves a waiting activity, after showing what its stamped bytes say and asking.
 *
 * @throws {CliError} verificationFailed: what is shown was not stamped; waitsForApproval: it needs more votes; refused
 */
export async function approve(text: string, options: VoteOptions, stamping: Stamping): Promise<void> {
  const { terminal } = stamping
  const activity = await findActivity(text, { statuses: WAITING }, stamping)
  const request = stampedRequest(activity)
  const read = readActivity(activity, request, await contextOf([request], stamping))
  for (const line of linesOfActivity(read)) terminal.log(line)
  if (read.lapsesAt !== undefined) terminal.log(`  votes so far count until ${read.lapsesAt}`)
  if (!options.yes && !options.dryRun && !(await confirm("approve?"))) {
    terminal.log("not approved")
    throw new CliError(ExitCode.refused, "nothing was stamped")
  }
  const parameters = { fingerprint: activity.fingerprint }
  const submitted = await submitChange(
    { type: "ACTIVITY_TYPE_APPROVE_ACTIVITY", parameters },
    options,
    stamping,
  )
  if (submitted === undefined) return
  const { activity: approved } = submitted
  printEither(terminal, options, receiptOf(approved), linesOfOutcome(approved))
}

/** Rejects one waiting activity. @throws {CliError} refused: the vote does not end it */
export async function rejectNamed(text: string, options: ChangeOptions, stamping: Stamping): Promise<void> {
  const { terminal } = stamping
  const { fingerprint } = await findActivity(text, { statuses: WAITING }, stamping)
  const submission = {
    type: "ACTIVITY_TYPE_REJECT_ACTIVITY",
    parameters: { fingerprint },
    path: "reject_activity",
  }
  const replied = await submitKept(submission, options, stamping)
  if (replied === undefined) return
  const { id, status } = replied.activity
  if (status !== "ACTIVITY_STATUS_REJECTED") {
    const now = (await statusOf(id, stamping)) ?? status
    throw new CliError(ExitCode.refused, `${fingerprint} is not rejected yet: its status is ${now}`)
  }
  printEither(terminal, options, { activityId: id, fingerprint, status }, [`rejected ${fingerprint}`])
}

async function statusOf(activityId: string, stamping: Stamping): Promise<string | undefined> {
  const reply = await query<{ activity?: ActivityJson }>(stamping, "get_activity", { activityId })
  return reply.activity?.status
}
