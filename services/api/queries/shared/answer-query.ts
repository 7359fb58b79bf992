import type { IncomingHttpHeaders } from "node:http"
import type { OperationEntry } from "../../../../proto/operations.ts"
import { readMessage } from "../../../../proto/read.ts"
import type { OnUnknownMember } from "../../../../proto/unknown-members.ts"
import { readStampHeaders } from "../../../../signer/core/stamp/read-stamp.ts"
import { ApiError, GrpcCode } from "../../../common/api-error.ts"
import type { RequestState } from "../../../common/context.ts"
import { type ActivityTimes, timeForm } from "../../resources/time.ts"
import {
  type RequireAllowedAddress,
  type CallerStores,
  stampValues,
} from "../../authentication/authenticate.ts"
import type { Nodes } from "../../sending/nodes.ts"
import type { AttestedRead, Signer } from "../../signer/signer.ts"
import type { BootProofs } from "../../signer/boot-proofs.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"
import { readObject, readOrganizationId } from "../../request-body.ts"
import { identifyQueryCaller, identifyQueryCallerInFamily } from "../../authentication/query-caller.ts"
import type { Query, QueryContext } from "./query.ts"
import type { QuerySlots } from "./query-slots.ts"

export type QueryDeps = CallerStores & {
  bootProofs: Pick<BootProofs, "find" | "latest">
  nodes: Nodes
  signer: Pick<Signer, "readGasUsage">
  /** Requires that an attested stamp may make the read of a path, and is verified. @throws Refusal */
  requireAttestedRead(path: string, stamped: Omit<AttestedRead, "fetched">): Promise<void>
  onRampStatus: QueryContext["onRampStatus"]
  slots: QuerySlots
  activityTimes: ActivityTimes
  now: () => number
}

/** A query as it was sent. `endPageAt` tells its caller that a page ended early. */
type QueryHttpRequest = {
  body: Buffer
  headers: IncomingHttpHeaders
  state: RequestState
  admit: RequireAllowedAddress
  onUnknown: OnUnknownMember
  endPageAt: QueryContext["endPageAt"]
}

/** Answers a stamped query with JSON text. Queries have no timestamp: the stamp is enough. */
export async function answerQuery(
  operation: OperationEntry,
  query: Query<never>,
  request: QueryHttpRequest,
  deps: QueryDeps,
): Promise<string> {
  const { body, headers, state, admit, onUnknown, endPageAt } = request
  const json = readObject(body)
  // Checked before the other rules, because a malformed id has an error code of its own.
  if (typeof json["organizationId"] === "string") readOrganizationId(json["organizationId"])
  const { message } = readMessage(operation.input, json, "", onUnknown)
  const organizationId = (message as unknown as { organizationId: string }).organizationId.toLowerCase()
  state.organizationId = organizationId
  const stamps = stampValues(headers)
  const stamp = readStampHeaders(stamps)
  const stamped = { organizationId, stamp, body, nowMs: deps.now() }
  const identify = operation.path === "whoami" ? identifyQueryCallerInFamily : identifyQueryCaller
  const { queried, organization: home, owner } = await identify(stamped, deps)
  if (stamp.kind === "attested")
    await deps.requireAttestedRead(operation.path, { organizationId, body, ...stamps })
  await admit(home, stamp.credential)
  requireForAuthProxy(operation, home, owner.user.userId)
  const context = {
    sql: deps.sql,
    organizations: deps.organizations,
    bootProofs: deps.bootProofs,
    nodes: deps.nodes,
    signer: deps.signer,
    onRampStatus: deps.onRampStatus,
    organization: queried,
    callerOrganization: home,
    userId: owner.user.userId,
    username: owner.user.name,
    times: timeForm(headers, deps.activityTimes),
    nowMs: stamped.nowMs,
    endPageAt,
  }
  return deps.slots.run(home.id, async () => query(message as never, context))
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
