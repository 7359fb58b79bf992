import type { IncomingHttpHeaders } from "node:http"
import type { OperationEntry } from "../../../../proto/declared-operations.ts"
import { readMessage } from "../../../../proto/read.ts"
import type { OnUnknownMember } from "../../../../proto/unknown-members.ts"
import type { Stamp } from "../../../../signer/core/stamp/read-stamp.ts"
import { ApiError, GrpcCode } from "../../../common/api-error.ts"
import type { RequestState } from "../../../common/context.ts"
import { type ActivityTimes, timeForm } from "../../resources/time.ts"
import {
  type RequireAllowedAddress,
  type CallerStores,
  type StampValues,
} from "../../authentication/authenticate.ts"
import type { Nodes } from "../../sending/nodes.ts"
import type { StampedRead } from "../../signer/attested-read.ts"
import type { Links } from "../../signer/links.ts"
import type { BootProofs } from "../../signer/boot-proofs.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"
import { readObject, readOrganizationId } from "../../request-body.ts"
import {
  identifyQueryCaller,
  identifyQueryCallerByParent,
  type QueryCaller,
} from "../../authentication/query-caller.ts"
import { identifySessionCaller } from "../../authentication/read-only-session.ts"
import type { NotarizerKey } from "../../signer/notarizer-key.ts"
import type { Query, QueryContext } from "./query.ts"
import type { QuerySlots } from "./query-slots.ts"

export type QueryDeps = CallerStores & {
  bootProofs: Pick<BootProofs, "find" | "latest">
  nodes: Nodes
  signer: QueryContext["signer"]
  log: QueryContext["log"]
  links: Links
  notarizer: Pick<NotarizerKey, "get">
  /** Requires that an attested stamp may make the read of a path, and is verified. @throws Refusal */
  requireAttestedRead(path: string, read: StampedRead): Promise<void>
  onRampStatus: QueryContext["onRampStatus"]
  verifyIdToken: QueryContext["verifyIdToken"]
  slots: QuerySlots
  activityTimes: ActivityTimes
  now: () => number
}

/** A query as it was sent, with a stamp or the text of a read-only session. `endPageAt` records that a page ended early. */
type QueryHttpRequest = {
  body: Buffer
  headers: IncomingHttpHeaders
  stamped: (StampValues & { stamp: Stamp }) | undefined
  /** "": none. */
  session: string
  state: RequestState
  admit: RequireAllowedAddress
  onUnknown: OnUnknownMember
  endPageAt: QueryContext["endPageAt"]
}

/** Answers a query with JSON text. Queries have no timestamp: the stamp, or the read-only session, is enough. */
export async function answerQuery(
  operation: OperationEntry,
  query: Query<never>,
  request: QueryHttpRequest,
  deps: QueryDeps,
): Promise<string> {
  const { body, headers, session, state, admit, onUnknown, endPageAt } = request
  const json = readObject(body)
  // Checked before the other rules, because a malformed id has an error code of its own.
  if (typeof json["organizationId"] === "string") readOrganizationId(json["organizationId"])
  const { message } = readMessage(operation.input, json, "", onUnknown)
  const organizationId = (message as unknown as { organizationId: string }).organizationId.toLowerCase()
  state.organizationId = organizationId
  const nowMs = deps.now()
  const {
    queried,
    organization: home,
    owner,
    credential,
  } = await identify(operation, { ...request, organizationId, nowMs }, deps)
  await admit(home, credential)
  requireForAuthProxy(operation, home, owner.user.userId)
  const context = {
    sql: deps.sql,
    organizations: deps.organizations,
    bootProofs: deps.bootProofs,
    nodes: deps.nodes,
    signer: deps.signer,
    log: deps.log,
    links: deps.links,
    onRampStatus: deps.onRampStatus,
    verifyIdToken: deps.verifyIdToken,
    organization: queried,
    callerOrganization: home,
    userId: owner.user.userId,
    username: owner.user.name,
    isReadOnlySession: session !== "",
    times: timeForm(headers, deps.activityTimes),
    nowMs,
    endPageAt,
  }
  return deps.slots.run(home.id, async () => query(message as never, context))
}

/** The caller of a query, and the name of the credential by which they read. */
type Reader = QueryCaller & { credential: string }

/** Identifies the caller by their stamp or, where there is none, by their read-only session. */
async function identify(
  { path }: OperationEntry,
  {
    organizationId,
    body,
    stamped,
    session,
    nowMs,
  }: Pick<QueryHttpRequest, "body" | "stamped" | "session"> & { organizationId: string; nowMs: number },
  deps: QueryDeps,
): Promise<Reader> {
  if (stamped === undefined)
    return identifySessionCaller({ organizationId, text: session, nowMs }, deps, await deps.notarizer.get())
  const { stamp } = stamped
  const identifyStamped = path === "whoami" ? identifyQueryCallerByParent : identifyQueryCaller
  const caller = await identifyStamped({ organizationId, stamp, body, nowMs }, deps)
  if (stamp.kind === "attested")
    await deps.requireAttestedRead(path, { organizationId, body, ...stamped, stamp, queried: caller.queried })
  return { ...caller, credential: stamp.credential }
}

/** The user that an auth proxy acts as reads what the proxy needs, and nothing else. @throws ApiError 403 */
function requireForAuthProxy(
  { path, isForAuthProxy }: OperationEntry,
  { document: { authProxy } }: StoredOrganization,
  userId: string,
): void {
  if (isForAuthProxy || authProxy?.userId !== userId) return
  throw new ApiError(
    GrpcCode.permissionDenied,
    `request not authorized: the auth proxy's user may not send ${path}`,
    { publicCode: "REQUEST_NOT_AUTHORIZED", reason: "AUTH_PROXY_USER_DENIED" },
  )
}
