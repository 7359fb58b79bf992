import { setTimeout as pause } from "node:timers/promises"
import { findActivity, type Filter, listActivities, WAITING } from "../activities/find.ts"
import { requireActivityType } from "../activities/type.ts"
import { linesOfActivity, type NameOf, namesOf, readActivity } from "../activities/read.ts"
import { sentenceOf } from "../../dashboard/words/activity.ts"
import { msOf } from "../../dashboard/words/time.ts"
import { post } from "../api-client.ts"
import type { Stamping } from "../changes/stamping.ts"
import type { ShownActivity } from "../changes/waiting.ts"
import { CliError, ExitCode } from "../exit.ts"
import { tableOf } from "../output/table.ts"
import { printResult } from "../terminal.ts"

export type ListOptions = { status?: string; type?: string; limit?: string; json?: boolean }

const STATUSES: { readonly [word: string]: readonly string[] } = {
  waiting: WAITING,
  completed: ["ACTIVITY_STATUS_COMPLETED"],
  failed: ["ACTIVITY_STATUS_FAILED"],
  rejected: ["ACTIVITY_STATUS_REJECTED"],
}

/** Prints activities, newest first. @throws {CliError} usage */
export async function listRecent(options: ListOptions, stamping: Stamping): Promise<void> {
  const activities = await listActivities(filterOf(options), stamping)
  const { terminal } = stamping
  if (options.json) return printResult(terminal, activities, options)
  if (activities.length === 0) return terminal.log("there is none")
  const nameOf = await namesOf(stamping)
  tableOf(
    activities.map((activity) => rowOf(activity, nameOf)),
    [
      ["fingerprint", "short"],
      ["submitted", "at"],
      ["status", "status"],
      ["by", "by"],
      ["what", "what"],
    ],
  ).forEach(terminal.print)
}

/** Prints one activity: what was asked, from the stamped bytes, its votes and its outcome. */
export async function showActivity(
  text: string,
  options: { json?: boolean },
  stamping: Stamping,
): Promise<void> {
  const activity = await findActivity(text, {}, stamping)
  const { terminal } = stamping
  if (options.json) return printResult(terminal, activity, options)
  const nameOf = await namesOf(stamping)
  const read = readActivity(activity, nameOf)
  linesOfActivity(read).forEach(terminal.print)
  terminal.print(`  id          ${activity.id}`)
  for (const { userId, createdAt, ...vote } of activity.votes) {
    const { selection } = vote as unknown as { selection: string }
    const verb = selection === "VOTE_SELECTION_REJECTED" ? "rejected" : "approved"
    terminal.print(`  ${nameOf(userId) ?? userId} ${verb} at ${new Date(msOf(createdAt)).toISOString()}`)
  }
  terminal.print(
    `  ${wordOf(activity.status)}${activity.failure?.message ? `: ${activity.failure.message}` : ""}`,
  )
  const [result] = Object.values(activity.result)
  if (result !== undefined) terminal.print(`  result      ${JSON.stringify(result)}`)
}

const POLL_MS = 1000

/** Prints activities as they come and change, until the signal: a line each, with --json one of JSON. */
export async function watchActivities(
  options: ListOptions,
  stamping: Stamping,
  signal: AbortSignal,
): Promise<void> {
  const { terminal } = stamping
  const seen = new Map<string, string>()
  const filter = filterOf({ ...options, limit: options.limit ?? "100" })
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const activities = await listActivities(filter, stamping)
    const news = activities
      .filter(({ id, status, votes }) => seen.get(id) !== `${status} ${votes.length}`)
      .toReversed()
    const nameOf = news.length > 0 && !isFirst && !options.json ? await namesOf(stamping) : () => undefined
    for (const activity of news) {
      seen.set(activity.id, `${activity.status} ${activity.votes.length}`)
      if (isFirst) continue
      if (options.json) printResult(terminal, activity, options)
      else terminal.print(Object.values(rowOf(activity, nameOf)).join("  "))
    }
    if (isFirst) terminal.log("waits for activities; Ctrl-C ends it")
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}

type Evaluations = {
  policyEvaluations: { voteId: string; policyEvaluations: { policyId: string; outcome: string }[] }[]
}
type Clause = { text: string; result: string; sentence?: string }
export type Simulated = {
  outcome: string
  reason: string
  policies: {
    policyId: string
    policyName: string
    outcome: string
    expressions: { field: string; result: string; deciding: Clause[] }[]
  }[]
}

/** Says which policies decided an activity at each vote, and why they decide so now. */
export async function explainActivity(
  text: string,
  options: { json?: boolean },
  stamping: Stamping,
): Promise<void> {
  const { client, organizationId, terminal } = stamping
  const activity = await findActivity(text, {}, stamping)
  const body = JSON.stringify({ organizationId, activityId: activity.id })
  const [evaluated, now] = await Promise.all([
    post(client, "/public/v1/query/get_policy_evaluations", body) as Promise<Evaluations>,
    // An activity whose parameters are no longer valid cannot be simulated.
    (post(client, "/public/v1/query/simulate_policies", body) as Promise<Simulated>).catch(
      (error: unknown) => {
        if (error instanceof CliError && error.code === ExitCode.refused) return undefined
        throw error
      },
    ),
  ])
  if (options.json) return printResult(terminal, { activityId: activity.id, ...evaluated, now }, options)
  const nameOf = await namesOf(stamping)
  const { sentence } = readActivity(activity, nameOf)
  terminal.print(`${sentence}: ${wordOf(activity.status)}`)
  if (activity.failure?.message) terminal.print(`  ${activity.failure.message}`)
  for (const { voteId, policyEvaluations } of evaluated.policyEvaluations) {
    const vote = activity.votes.find((one) => (one as unknown as { id: string }).id === voteId)
    terminal.print(`at the vote of ${nameOf(vote?.userId ?? "") ?? voteId}`)
    if (policyEvaluations.length === 0)
      terminal.print("  no policy was needed: the root quorum or a right of the user decided")
    for (const { policyId, outcome } of policyEvaluations)
      terminal.print(`  policy ${nameOf(policyId) ?? policyId}  ${outcomeOf(outcome)}`)
  }
  if (now !== undefined) linesOfSimulation(now).forEach(terminal.print)
}

/** Lines of a simulation: the outcome, then each policy's and the clauses that decide it. */
export function linesOfSimulation({ outcome, reason, policies }: Simulated): string[] {
  return [
    `policies now: ${outcomeOf(outcome)} (${reason.replace(/\.$/, "")})`,
    ...policies.flatMap(({ policyName, outcome: own, expressions }) => [
      `  policy ${policyName}  ${outcomeOf(own)}`,
      ...expressions.flatMap(({ field, deciding }) =>
        deciding.map(
          ({ text, result, sentence }) =>
            `    ${field} ${result}${sentence === undefined ? "" : ` (${sentence})`}: ${text}`,
        ),
      ),
    ]),
  ]
}

export function outcomeOf(outcome: string): string {
  return outcome.replace("OUTCOME_", "").toLowerCase().replaceAll("_", " ")
}

function filterOf({ status, type, limit = "20" }: ListOptions): Filter {
  const statuses = status === undefined ? undefined : STATUSES[status]
  if (status !== undefined && statuses === undefined)
    throw new CliError(ExitCode.usage, `--status ${status}: use ${Object.keys(STATUSES).join(", ")}`)
  if (!/^[1-9]\d{0,4}$/.test(limit))
    throw new CliError(ExitCode.usage, `--limit ${limit}: not a number from 1 to 99999`)
  return {
    limit: Number(limit),
    ...(statuses && { statuses }),
    ...(type !== undefined && { types: [requireActivityType("--type", type)] }),
  }
}

/** A line of a list. Its words come from the intent as it is shown; `show` and `approve` read the stamped bytes. */
function rowOf(activity: ShownActivity, nameOf: NameOf) {
  const { fingerprint, createdAt, status, votes, type } = activity
  const [parameters = {}] = Object.values((activity as unknown as { intent: object }).intent ?? {})
  return {
    short: fingerprint.replace("sha256:", "").slice(0, 8),
    at: createdAt,
    status: wordOf(status),
    by: nameOf(votes[0]?.userId ?? "") ?? votes[0]?.userId ?? "",
    what: sentenceOf(type, parameters as { [member: string]: unknown }, nameOf),
  }
}

function wordOf(status: string): string {
  const word = Object.keys(STATUSES).find((one) => STATUSES[one]?.includes(status))
  return word ?? status.replace("ACTIVITY_STATUS_", "").toLowerCase()
}
