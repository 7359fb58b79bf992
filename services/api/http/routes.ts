import { type ActivityEntry, type OperationEntry, queryPaths, submitPaths } from "../../../proto/catalog.ts"
import { type Handler, reply } from "../../common/context.ts"
import { notImplemented, type Route, type Routes } from "../../common/dispatch.ts"
import { readRawBody } from "../../common/raw-body.ts"
import type { TurnQueue } from "../../../signer/core/turn-queue.ts"
import { activityReply } from "../resources/activity.ts"
import { timeForm } from "../resources/time.ts"
import { stampValues } from "../authentication/authenticate.ts"
import type { IpGate } from "./ip-gate.ts"
import { answerQuery, type QueryDeps } from "../queries/shared/answer.ts"
import { queries } from "../queries/index.ts"
import type { Query } from "../queries/shared/query.ts"
import { readSubmission } from "../submit/envelope.ts"
import { submit, type SubmitDeps } from "../submit/submit.ts"

export type OperationDeps = SubmitDeps &
  QueryDeps & { turns: TurnQueue; bodyLimitBytes: number; gate: IpGate }

/** Every operation of the catalog; those that are declared and not served answer 501 without reading a body. */
export function operationRoutes(deps: OperationDeps): Routes {
  const routes = new Map<string, Route>()
  const add = (path: string, operation: string, handle: Handler) => routes.set(path, { operation, handle })
  for (const [path, entries] of submitPaths) {
    const served = entries.some((entry) => entry.served)
    const why = entries[0]?.whyNotServed
    add(`/public/v1/submit/${path}`, path, served ? submits(path, entries, deps) : refuses(path, why))
  }
  for (const [path, operation] of queryPaths) {
    const query = queries.get(path)
    add(`/public/v1/query/${path}`, path, query ? queriesWith(operation, query, deps) : refuses(path))
  }
  return routes
}

/** Bodies that carry a text of a size the interface promises, whatever the bound of bodies is set to; bytes. */
const LEAST_BOUNDS: ReadonlyMap<string, number> = new Map([["create_smart_contract_interface", 1024 * 1024]])

function submits(path: string, entries: readonly ActivityEntry[], deps: OperationDeps): Handler {
  const bound = Math.max(deps.bodyLimitBytes, LEAST_BOUNDS.get(path) ?? 0)
  return async (context) => {
    const { req, state } = context
    const body = await readRawBody(req, bound)
    await deps.turns.turn()
    const submission = readSubmission(body, entries)
    const arrival = { stamps: stampValues(req.headers), admit: deps.gate.of(req) }
    const { row, organization, userId } = await submit(submission, arrival, state, deps)
    const times = timeForm(req.headers, deps.activityTimes)
    reply(context, activityReply(row, { organization, userId, times, nowMs: deps.now() }))
  }
}

function queriesWith(operation: OperationEntry, query: Query<never>, deps: OperationDeps): Handler {
  return async (context) => {
    const { req, state } = context
    const body = await readRawBody(req, deps.bodyLimitBytes)
    await deps.turns.turn()
    const request = { body, headers: req.headers, state, admit: deps.gate.of(req) }
    reply(context, await answerQuery(operation, query, request, deps))
  }
}

function refuses(operation: string, why?: string): Handler {
  return () => {
    throw notImplemented(operation, why)
  }
}
