import type { IncomingMessage } from "node:http"
import type { ActivityEntry } from "../../../proto/catalog.ts"
import { Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { type Context, type Handler, reply } from "../../common/context.ts"
import { notImplemented, type Route, type Routes } from "../../common/dispatch.ts"
import { replacementFor } from "../../common/not-served.ts"
import { inTime } from "../../common/in-time.ts"
import { readRawBody } from "../../common/raw-body.ts"
import { Deadline, MAX_REQUEST_MS } from "../../../signer/core/turns/deadline.ts"
import { requireSessionForm } from "../../../signer/core/session/read-only-session.ts"
import { hashInSteps, isLargeBody } from "../../../signer/core/stamp/large-body.ts"
import { readStampHeaders } from "../../../signer/core/stamp/read-stamp.ts"
import { activityReply } from "../resources/activity.ts"
import { type ActivityTimes, timeForm } from "../resources/time.ts"
import { type RequireAllowedAddress, stampValues } from "../authentication/authenticate.ts"
import { type Admission, callerName, WORK } from "./admission.ts"
import { MAX_UNVERIFIED_BODY_BYTES } from "../../../signer/core/wire.ts"
import type { InTurns } from "../authentication/query-caller.ts"
import { requireStampOfLargeBody } from "../authentication/large-body.ts"
import { refuseSession, sessionText } from "../authentication/read-only-session.ts"
import { listIgnoredMembers } from "./ignored-members.ts"
import type { DeploymentCheck } from "../signer/deployment-check.ts"
import type { IpGate } from "./ip-gate.ts"
import { endPageAt } from "./page-end.ts"
import { answerQuery, type QueryDeps } from "../queries/shared/answer-query.ts"
import { queries } from "../queries/index.ts"
import type { Query } from "../queries/shared/query.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { readSubmission, type Submission } from "../submit/envelope.ts"
import { policyWarningsText } from "../submit/policy-warnings.ts"
import { submit, type SubmitDeps } from "../submit/submit.ts"
import type { OperationEntry } from "../../../proto/declared-operations.ts"
import { queryPaths, submitPaths } from "../../../proto/operations.ts"

/** `queries`: the stores of queries, over the pool of their own. */
type OperationDeps = SubmitDeps & {
  queries: QueryDeps
  admission: Admission
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
    add(`/public/v1/submit/${path}`, path, served ? submitHandler(entries, deps) : refusalHandler(path, why))
  }
  for (const [path, operation] of queryPaths) {
    const query = queries.get(path)
    add(`/public/v1/query/${path}`, path, query ? queryHandler(operation, query, deps) : refusalHandler(path))
  }
  return routes
}

/** Reply header with the notes about policies that are created or changed. */
const POLICY_WARNINGS = "X-Countersign-Policy-Warnings"

function submitHandler(entries: readonly ActivityEntry[], deps: OperationDeps): Handler {
  const limitOf = ({ maxBodyBytes, promisedBodyBytes }: ActivityEntry) =>
    Math.max(Math.min(deps.bodyLimitBytes, maxBodyBytes), promisedBodyBytes)
  const limit = Math.max(...entries.map(limitOf))
  const isCreation = entries.some(({ consequence }) => consequence === Consequence.CREATES_ORGANIZATION)
  const usual = isCreation ? WORK.creation : WORK.order
  return async (context) => {
    const { req, res, state } = context
    const deadline = new Deadline(MAX_REQUEST_MS)
    deps.deployment.requireOwn()
    refuseSession(req.headers)
    const stamps = stampValues(req.headers)
    const stamp = readStampHeaders(stamps)
    const { caller, requireAllowed, remember } = callerOf(req, stamp.credential, deps)
    const body = await readBody(context, { limit, caller, deadline }, deps)
    const addressOf = () => deps.gate.addressOf(req)
    const headers = { stamps, stamp, requireAllowed, remember, addressOf, deadline }
    const handle = async () => {
      await requireStampOfLargeBody(body, { ...stamps, stamp }, deps, {
        nowMs: deps.now(),
        inTurns: turnsOf(caller, deps),
      })
      const read = () => readSubmission(body, entries, () => listIgnoredMembers(res))
      const submission = isLargeBody(body) ? await readLarge(body, read, { caller, deps }) : read()
      const { row, organization, userId } = await submit(submission, headers, state, deps)
      const warnings = policyWarningsText(row, organization.document, deps.now())
      if (warnings !== undefined) res.setHeader(POLICY_WARNINGS, warnings)
      const times = timeForm(req.headers, deps.activityTimes)
      return activityReply(row, {
        organization,
        userId,
        times,
        nowMs: deps.now(),
        isReadOnlySession: false,
      })
    }
    const work = isLargeBody(body) ? WORK.largeOrder : usual
    reply(context, await deps.admission.run(caller, deadline, handle, work))
  }
}

function queryHandler(operation: OperationEntry, query: Query<never>, deps: OperationDeps): Handler {
  const limit = Math.min(deps.bodyLimitBytes, operation.maxBodyBytes)
  return async (context) => {
    const { req, res, state } = context
    deps.deployment.requireOwn()
    const deadline = new Deadline(MAX_REQUEST_MS)
    const stamps = stampValues(req.headers)
    const session = sessionText(req.headers)
    const stamp = session === "" ? readStampHeaders(stamps) : undefined
    const { caller, requireAllowed, remember } = callerOf(
      req,
      stamp?.credential ?? credentialOfSession(session),
      deps,
    )
    const body = await readBody(context, { limit, caller, deadline }, deps)
    const outlets = { onUnknown: listIgnoredMembers(res), endPageAt: endPageAt(res) }
    const stamped = stamp && { ...stamps, stamp }
    const admit: RequireAllowedAddress = async (home, credential) => {
      await requireAllowed(home, credential)
      remember(home)
    }
    const request = { body, headers: req.headers, stamped, session, state, admit, ...outlets }
    const handle = async () => {
      const inTurns = turnsOf(caller, deps)
      await requireStampOfLargeBody(body, { ...stamps, stamp }, deps.queries, { nowMs: deps.now(), inTurns })
      return answerQuery(operation, query, request, deps.queries)
    }
    reply(context, await deps.admission.run(caller, deadline, handle, WORK.query))
  }
}

type Reading = { limit: number; caller: string; deadline: Deadline }

/** A large body stays in the connection until its organization has a place for it. @throws the errors of `readRawBody` and `inTime` */
function readBody(
  context: Context,
  { limit, caller, deadline }: Reading,
  { admission }: OperationDeps,
): Promise<Buffer> {
  const read = () => readRawBody(context, limit)
  const maxBytes = Math.min(declaredLength(context.req) ?? limit, limit)
  if (maxBytes <= MAX_UNVERIFIED_BODY_BYTES) return read()
  return inTime(admission.reading(caller, deadline, read, maxBytes), deadline)
}

/** Undefined: the length of the body is not known before its end. */
function declaredLength({ headers }: IncomingMessage): number | undefined {
  const { "content-length": length } = headers
  return length === undefined ? undefined : Number(length)
}

/** A large body is hashed in turns of their own before one in which it is read. */
async function readLarge(
  body: Buffer,
  read: () => Submission,
  { caller, deps: { admission } }: { caller: string; deps: OperationDeps },
): Promise<Submission> {
  await admission.inTurns(caller, hashInSteps(body))
  return admission.compute(caller, read)
}

function turnsOf(caller: string, { admission }: OperationDeps): InTurns {
  return (steps) => admission.inTurns(caller, steps)
}

/** Characters at the end of a read-only session that name it: its signature, 64 bytes in base64url. */
const SIGNATURE_LENGTH = 86

/**
 * The caller that the request claims by its credential and its address, the check of their address, and what remembers them by
 * their organization once their stamp is verified. The body is not read yet, so a request without a well-formed stamp costs only its headers.
 */
function callerOf(request: IncomingMessage, credential: string, { gate, admission }: OperationDeps) {
  const caller = callerName(gate.addressOf(request), credential)
  const remember = (home: StoredOrganization) => admission.remember(caller, home.id, home.document.parentId)
  return { caller, requireAllowed: gate.checkFor(request), remember }
}

/** The signature of a read-only session names it. @throws Refusal READ_ONLY_SESSION_INVALID */
function credentialOfSession(session: string): string {
  requireSessionForm(session)
  return session.slice(-SIGNATURE_LENGTH)
}

function refusalHandler(operation: string, why = replacementFor(operation)): Handler {
  return () => {
    throw notImplemented(operation, why ?? "it belongs to a later one")
  }
}
