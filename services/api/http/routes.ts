import type { ActivityEntry } from "../../../proto/catalog.ts"
import { type Handler, reply } from "../../common/context.ts"
import { notImplemented, type Route, type Routes } from "../../common/dispatch.ts"
import { replacementFor } from "../../common/not-served.ts"
import { readRawBody } from "../../common/raw-body.ts"
import { Deadline, MAX_REQUEST_MS } from "../../../signer/core/turns/deadline.ts"
import type { TurnQueue } from "../../../signer/core/turns/turn-queue.ts"
import { activityReply } from "../resources/activity.ts"
import { type ActivityTimes, timeForm } from "../resources/time.ts"
import { stampValues } from "../authentication/authenticate.ts"
import { listIgnoredMembers } from "./ignored-members.ts"
import type { DeploymentCheck } from "../signer/deployment-check.ts"
import type { IpGate } from "./ip-gate.ts"
import { endPageAt } from "./page-end.ts"
import { answerQuery, type QueryDeps } from "../queries/shared/answer-query.ts"
import { queries } from "../queries/index.ts"
import type { Query } from "../queries/shared/query.ts"
import { unavailable } from "../errors.ts"
import { readSubmission } from "../submit/envelope.ts"
import { policyWarningsText } from "../submit/policy-warnings.ts"
import { submit, type SubmitDeps } from "../submit/submit.ts"
import { type OperationEntry, queryPaths, submitPaths } from "../../../proto/operations.ts"

/** `queries`: the stores of queries, over the pool of their own. */
type OperationDeps = SubmitDeps & {
  queries: QueryDeps
  turns: TurnQueue
  bodyLimitBytes: number
  activityTimes: ActivityTimes
  gate: IpGate
  deployment: Pick<DeploymentCheck, "requireOwn">
}

/** Routes of all operations of the catalog. An operation that is not served answers 501 without reading the body. */
export function operationRoutes(deps: OperationDeps): Routes {
  const routes = new Map<string, Route>()
  const add = (path: string, operation: string, handle: Handler) => routes.set(path, { operation, handle })
  for (const [path, entries] of submitPaths) {
    const served = entries.some((entry) => entry.served)
    const why = entries[0]?.whyNotServed || undefined
    add(
      `/public/v1/submit/${path}`,
      path,
      served ? submitHandler(path, entries, deps) : refusalHandler(path, why),
    )
  }
  for (const [path, operation] of queryPaths) {
    const query = queries.get(path)
    add(`/public/v1/query/${path}`, path, query ? queryHandler(operation, query, deps) : refusalHandler(path))
  }
  return routes
}

/** Reply header with the notes about policies that are created or changed. */
const POLICY_WARNINGS = "X-Countersign-Policy-Warnings"

/** Smallest body limits by path, in bytes: the interface promises a size for one text of these bodies. */
const MIN_BODY_LIMITS: ReadonlyMap<string, number> = new Map([
  ["create_smart_contract_interface", 1024 * 1024],
])

function submitHandler(path: string, entries: readonly ActivityEntry[], deps: OperationDeps): Handler {
  const limit = Math.max(deps.bodyLimitBytes, MIN_BODY_LIMITS.get(path) ?? 0)
  return async (context) => {
    const { req, res, state } = context
    const deadline = new Deadline(MAX_REQUEST_MS)
    deps.deployment.requireOwn()
    const body = await readRawBody(req, limit)
    await deps.turns.turn()
    const submission = readSubmission(body, entries, listIgnoredMembers(res))
    const headers = {
      stamps: stampValues(req.headers),
      admit: deps.gate.checkFor(req),
      addressOf: () => deps.gate.addressOf(req),
      deadline,
    }
    const { row, organization, userId } = await inTime(submit(submission, headers, state, deps), deadline)
    const warnings = policyWarningsText(row, organization.document)
    if (warnings !== undefined) res.setHeader(POLICY_WARNINGS, warnings)
    const times = timeForm(req.headers, deps.activityTimes)
    reply(context, activityReply(row, { organization, userId, times, nowMs: deps.now() }))
  }
}

function queryHandler(operation: OperationEntry, query: Query<never>, deps: OperationDeps): Handler {
  return async (context) => {
    const { req, res, state } = context
    deps.deployment.requireOwn()
    const deadline = new Deadline(MAX_REQUEST_MS)
    const body = await readRawBody(req, deps.bodyLimitBytes)
    await deps.turns.turn()
    const admit = deps.gate.checkFor(req)
    const outlets = { onUnknown: listIgnoredMembers(res), endPageAt: endPageAt(res) }
    const request = { body, headers: req.headers, state, admit, ...outlets }
    reply(context, await inTime(answerQuery(operation, query, request, deps.queries), deadline))
  }
}

/** The signer refuses an order at the deadline; a database that is away refuses nothing. */
const GRACE_MS = 1000

/** @throws ApiError 503 after the deadline. The work goes on: the same body may be sent again. */
async function inTime<Result>(work: Promise<Result>, { leftMs }: Deadline): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const sentence = "the database or the signer did not answer in time; the same body may be sent again"
    timer = setTimeout(() => reject(unavailable(sentence)), leftMs + GRACE_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function refusalHandler(operation: string, why = replacementFor(operation)): Handler {
  return () => {
    throw notImplemented(operation, why ?? "it belongs to a later one")
  }
}
