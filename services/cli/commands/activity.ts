import { setTimeout as pause } from "node:timers/promises"
import { findActivity, type Filter, listActivities } from "../../terminal-client/activities/find.ts"
import { requireActivityType } from "../../terminal-client/activities/type.ts"
import { contextOf } from "../../terminal-client/activities/context.ts"
import {
  lineOf,
  linesOfActivity,
  readActivity,
  requestInList,
  stampedRequest,
  userInList,
} from "../../terminal-client/activities/read.ts"
import { inLine, statesOf, STATUSES } from "../../terminal-client/activities/state.ts"
import type { ReadBody } from "../../../signer/core/request/read-body.ts"
import { bracketed } from "../../../signer/core/words/text.ts"
import type { WordsContext } from "../../../signer/core/words/words.ts"
import { wordsOfRequest } from "../../../signer/core/words/request.ts"
import { costlySearch, decisionWords, outcomeWords } from "../../dashboard/words/outcomes.ts"
import { msOf } from "../../dashboard/words/time.ts"
import { query } from "../../terminal-client/api-client.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import type { ActivityDetails } from "../../terminal-client/changes/waiting.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { tableOf } from "../output/table.ts"
import { printResult } from "../../terminal-client/terminal.ts"

export type ListOptions = { status?: string; type?: string; limit?: string; json?: boolean }

/** Prints activities, newest first. @throws {CliError} usage */
export async function listRecent(options: ListOptions, stamping: Stamping): Promise<void> {
  const activities = await listActivities(filterOf(options), stamping)
  const { terminal } = stamping
  if (options.json) return printResult(terminal, activities, options)
  if (activities.length === 0) return terminal.log("there is none")
  const columns = { fingerprint: "short", submitted: "at", status: "status", by: "by", what: "what" }
  tableOf(await rowsOf(activities, stamping), columns).forEach(terminal.print)
}

/** Prints one activity: the request, read from the stamped bytes, its votes and its outcome. */
export async function showActivity(
  text: string,
  options: { json?: boolean },
  stamping: Stamping,
): Promise<void> {
  const activity = await findActivity(text, {}, stamping)
  const { terminal } = stamping
  if (options.json) return printResult(terminal, activity, options)
  const request = stampedRequest(activity)
  const context = await contextOf([request], stamping)
  const { nameOf } = context
  linesOfActivity(readActivity(activity, request, context)).forEach(terminal.print)
  terminal.print(`  id          ${activity.id}`)
  for (const { userId, createdAt, ...vote } of activity.votes) {
    const { selection } = vote as unknown as { selection: string }
    const verb = selection === "VOTE_SELECTION_REJECTED" ? "rejected" : "approved"
    terminal.print(`  ${userInList(userId, nameOf)} ${verb} at ${new Date(msOf(createdAt)).toISOString()}`)
  }
  const states = await statesOf([activity], stamping)
  terminal.print(
    `  ${states.get(activity.id)}${activity.failure?.message ? `: ${activity.failure.message}` : ""}`,
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
    for (const { id, status, votes } of news) seen.set(id, `${status} ${votes.length}`)
    if (!isFirst && options.json) for (const activity of news) printResult(terminal, activity, options)
    if (!isFirst && !options.json && news.length > 0)
      for (const row of await rowsOf(news, stamping)) terminal.print(Object.values(row).join("  "))
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
  const { terminal } = stamping
  const activity = await findActivity(text, {}, stamping)
  const asking = { activityId: activity.id }
  const [evaluated, now] = await Promise.all([
    query<Evaluations>(stamping, "get_policy_evaluations", asking),
    // An activity whose parameters are no longer valid cannot be simulated.
    query<Simulated>(stamping, "simulate_policies", asking).catch((error: unknown) => {
      if (error instanceof CliError && error.code === ExitCode.refused) return undefined
      throw error
    }),
  ])
  if (options.json) return printResult(terminal, { activityId: activity.id, ...evaluated, now }, options)
  const asked = stampedRequest(activity)
  const context = await contextOf([asked], stamping)
  const { nameOf } = context
  const states = await statesOf([activity], stamping)
  terminal.print(`${wordsOfRequest(asked, context).sentence}: ${states.get(activity.id)}`)
  if (activity.failure?.message) terminal.print(`  ${activity.failure.message}`)
  for (const { voteId, policyEvaluations } of evaluated.policyEvaluations) {
    const vote = activity.votes.find((one) => (one as unknown as { id: string }).id === voteId)
    terminal.print(`at the vote of ${vote === undefined ? voteId : userInList(vote.userId, nameOf)}`)
    if (policyEvaluations.length === 0)
      terminal.print("  no policy was needed: the root quorum or a right of the user decided")
    for (const { policyId, outcome } of policyEvaluations)
      terminal.print(`  policy ${userInList(policyId, nameOf)}  ${inLine(outcomeWords(outcome)[1])}`)
  }
  if (now !== undefined) linesOfSimulation(now).forEach(terminal.print)
}

/** Lines of a simulation: the outcome, then each policy's and the clauses that decide it. */
export function linesOfSimulation({ outcome, reason, policies }: Simulated): string[] {
  return [
    `policies now: ${inLine(decisionWords(outcome)[1])} (${reason.replace(/\.$/, "")})`,
    ...policies.flatMap(({ policyName, outcome: own, expressions }) => [
      `  policy ${bracketed(policyName)}  ${inLine(outcomeWords(own)[1])}`,
      ...(own === "OUTCOME_ERROR" ? costlySearch(expressions) : []).map((fault) => `    ${fault}`),
      ...expressions.flatMap(({ field, deciding }) =>
        deciding.map(
          ({ text, result, sentence }) =>
            `    ${field} ${result}${sentence === undefined ? "" : ` (${sentence})`}: ${text}`,
        ),
      ),
    ]),
  ]
}

function filterOf({ status, type, limit = "20" }: ListOptions): Filter {
  const statuses = status === undefined ? undefined : STATUSES[status]
  if (status !== undefined && statuses === undefined)
    throw usage(`--status ${status}: use ${Object.keys(STATUSES).join(", ")}`)
  if (!/^[1-9]\d{0,4}$/.test(limit)) throw usage(`--limit ${limit}: not a number from 1 to 99999`)
  return {
    limit: Number(limit),
    ...(statuses && { statuses }),
    ...(type !== undefined && { types: [requireActivityType("--type", type)] }),
  }
}

/** Lines of a list, in the words of the stamped requests. */
async function rowsOf(activities: readonly ActivityDetails[], stamping: Stamping) {
  const requests = activities.map(requestInList)
  const context = await contextOf(
    requests.filter((request) => request !== undefined),
    stamping,
  )
  const states = await statesOf(activities, stamping)
  return activities.map((activity, index) => ({
    ...rowOf(activity, requests[index], context),
    status: states.get(activity.id) ?? "",
  }))
}

function rowOf(activity: ActivityDetails, request: ReadBody | undefined, context: WordsContext) {
  const { fingerprint, createdAt, votes } = activity
  return {
    short: fingerprint.replace("sha256:", "").slice(0, 8),
    at: createdAt,
    status: "",
    by: userInList(votes[0]?.userId ?? "", context.nameOf),
    what: lineOf(activity, request, context),
  }
}
