import { type ActivityJson, type Querying, query } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { commandText } from "../../../signer/core/command-text.ts"
import { wordsOf } from "../../../signer/core/fingerprint-words.ts"
import type { msOf } from "../../dashboard/words/time.ts"
import { votesLapseMs } from "../../dashboard/words/votes.ts"

/** RFC 3339, or as published clients read it. */
type Time = Parameters<typeof msOf>[0]

/** An activity as the API shows it beside its outcome. */
export type ActivityDetails = ActivityJson & {
  type: string
  createdAt: string
  votes: readonly { userId: string; createdAt: Time; message: string }[]
}

/** A user who may vote next. */
export type NextVoter = { userId: string; userName: string }

/** Digits of a fingerprint that a command needs: enough to name one waiting activity. */
const SHORT = 8

/** The fault of an activity that waits. It names the activity, its approvers, the command, and when its votes lapse. */
export async function waiting(activity: ActivityJson, querying: Querying): Promise<CliError> {
  const shown = { votes: [], ...activity } as unknown as ActivityDetails
  const approvers = await approversOf(shown, querying).catch(() => undefined)
  const lapsesAt = lapseOf(shown)
  const reply = { activity, approvers, ...(lapsesAt !== undefined && { lapsesAt }) }
  return new CliError(ExitCode.waitsForApproval, linesOf(shown, approvers, lapsesAt), { reply })
}

function linesOf(
  { fingerprint, votes, status }: ActivityDetails,
  approvers: readonly NextVoter[] | undefined,
  lapsesAt: string | undefined,
): string[] {
  const digest = fingerprint.replace("sha256:", "")
  const words = /^[0-9a-f]{64}$/.test(digest) ? `, words ${wordsOf(digest)}` : ""
  const count = votes.length === 1 ? "one vote" : `${votes.length} votes`
  return [
    `waiting for approval: ${fingerprint}${words}`,
    ...(lapsesAt === undefined ? [] : [`${count} so far; votes count until ${lapsesAt}`]),
    ...approvalLines(digest.slice(0, SHORT), status, approvers),
  ]
}

/** Users who are named; with --json all are printed. */
const MAX_NAMES = 8

/** Says who may approve, and the command. @param short the first digits of the fingerprint */
export function approvalLines(
  short: string,
  status: string,
  approvers: readonly NextVoter[] | undefined,
): string[] {
  const command = (name: string) => commandText`npx countersign approve ${short} --as ${name}`
  if (status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED")
    return [
      `its submitter approves with each further credential that get_mfa_status names: ${command("NAME")}`,
    ]
  const [first] = approvers ?? []
  if (first === undefined) return [`another user approves: ${command("NAME")}`]
  const names = (approvers ?? []).map(({ userName }) => userName)
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ""
  // A name that begins with a dash would be an option.
  const name = first.userName.startsWith("-") ? "NAME" : first.userName
  return [`may approve: ${names.slice(0, MAX_NAMES).join(", ")}${more}`, `approve: ${command(name)}`]
}

/** Time at which the votes lapse, RFC 3339; undefined: no vote counts now. */
export function lapseOf({ votes }: Pick<ActivityDetails, "votes">): string | undefined {
  const lapseMs = votesLapseMs(votes, Date.now())
  return lapseMs === undefined ? undefined : new Date(lapseMs).toISOString()
}

/**
 * Users whose vote would count next, by the API's own simulation, and members of the root quorum who have not voted. The
 * API tier is not trusted with decisions: this is a hint to people.
 */
async function approversOf({ id, votes }: ActivityDetails, querying: Querying): Promise<NextVoter[]> {
  const [simulated, configured, listed] = await Promise.all([
    query<{ voterIds?: string[] }>(querying, "simulate_policies", { activityId: id }),
    query<{ configs: { quorum: { userIds: string[] } } }>(querying, "get_organization_configs"),
    query<{ users: NextVoter[] }>(querying, "list_users"),
  ])
  const ids = new Set([...(simulated.voterIds ?? []), ...configured.configs.quorum.userIds])
  for (const { userId } of votes) ids.delete(userId)
  const names = new Map(listed.users.map(({ userId, userName }) => [userId, userName]))
  return [...ids].map((userId) => ({ userId, userName: names.get(userId) ?? userId }))
}
