import { writeIpAddress } from "../../../signer/core/organization/ip-block.ts"
import { requireFresh } from "../../../signer/core/freshness.ts"
import { readStampHeaders } from "../../../signer/core/stamp/read-stamp.ts"
import type { RequestState } from "../../common/context.ts"
import { inSpan } from "../../common/tracing/tracer.ts"
import {
  type RequireAllowedAddress,
  type StampValues,
  targetOrganization,
  unknownOrganization,
} from "../authentication/authenticate.ts"
import { identifySubmitCaller, requireCurrentCredential } from "../authentication/submit-caller.ts"
import { storedError } from "../errors.ts"
import type { Sender } from "../sending/sender.ts"
import type { Signer } from "../signer/signer.ts"
import type { ActivityRow } from "../store/activities.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { isDenied } from "./activity-rows.ts"
import type { Submission } from "./envelope.ts"
import { evidenceIn } from "./evidence.ts"
import { isRemovalByQuorum, requireOwnAddress } from "./ip-allowlist-rules.ts"
import type { OrderDispatcher } from "./order-dispatcher.ts"
import { activityOfRefusal, type RefusalDeps } from "./refused.ts"
import { findReplayed } from "./replay.ts"
import type { CallerRequest, SubmitRequest, UnidentifiedRequest } from "./request.ts"
import { requireWatchedChains } from "./watched-chains.ts"
import { requireDeliveries } from "./webhook-deliveries.ts"

export type SubmitDeps = RefusalDeps & {
  dispatcher: OrderDispatcher
  sender: Pick<Sender, "requireChain" | "open">
  signer: Pick<Signer, "acknowledge">
  now: () => number
}

/** The parts of the request other than its body. */
type SubmitHeaders = Pick<SubmitRequest, "addressOf" | "deadline"> & {
  stamps: StampValues
  admit: RequireAllowedAddress
}

/** An activity and its caller, for the reply. */
export type Submitted = { row: ActivityRow; organization: StoredOrganization; userId: string }

/**
 * Submits an activity: authenticates the caller early, looks for the activity of a repeated body, has the signer decide
 * and stores the outcome. Fills `state` for the log.
 */
export async function submit(
  submission: Submission,
  { stamps, admit, addressOf, deadline }: SubmitHeaders,
  state: RequestState,
  deps: SubmitDeps,
): Promise<Submitted> {
  state.organizationId = submission.organizationId
  const stamp = readStampHeaders(stamps)
  const nowMs = deps.now()
  const caller = await identifySubmitCaller({ ...submission, stamp, nowMs }, deps)
  const { requestId } = state
  const request = { submission, stamps, stamp, nowMs, deadline, requestId, addressOf }
  return caller === undefined
    ? submitUnidentified(request, admit, state, deps)
    : submitOfCaller({ ...request, caller }, admit, state, deps)
}

async function submitOfCaller(
  request: CallerRequest,
  admit: RequireAllowedAddress,
  state: RequestState,
  deps: SubmitDeps,
): Promise<Submitted> {
  const { submission, stamp, caller, nowMs } = request
  if (!(await isRemovalByQuorum(request, deps.sql))) await admit(caller.organization, stamp.credential)
  requireFresh(submission.timestampMs, nowMs)
  const row = (await findCurrentReplay(request, deps)) ?? (await decideNew(request, deps))
  requireNotDenied(row, state)
  const organization = newestVersion(targetOrganization(caller), deps)
  return { row, organization, userId: caller.owner.user.userId }
}

/** Submits a request whose caller the signer identifies while it decides. */
async function submitUnidentified(
  request: UnidentifiedRequest,
  admit: RequireAllowedAddress,
  state: RequestState,
  deps: SubmitDeps,
): Promise<Submitted> {
  const { submission, stamp, nowMs } = request
  requireFresh(submission.timestampMs, nowMs)
  requireChain(submission, deps)
  const row = await decide(request, deps)
  requireNotDenied(row, state)
  const organization = await deps.organizations.get(row.organizationId)
  if (organization === undefined) throw unknownOrganization(row.organizationId)
  // A login's session serves from allowed addresses only, so nothing was lost.
  await admit(organization, stamp.credential)
  return { row, organization: newestVersion(organization, deps), userId: row.userId }
}

/** The activity of a repeated body. The signer is not asked about it, so the credential must still be in the database. */
async function findCurrentReplay(request: CallerRequest, deps: SubmitDeps): Promise<ActivityRow | undefined> {
  const replayed = await inSpan("look for the activity", () => findReplayed(deps.sql, request), "client")
  if (replayed) await requireCurrentCredential(request.stamp, request.caller.organization.id, deps)
  return replayed
}

async function decideNew(request: CallerRequest, deps: SubmitDeps): Promise<ActivityRow> {
  requireChain(request.submission, deps)
  requireOwnAddress(request)
  requireWatchedChains(request, deps.sender)
  await requireDeliveries(request, deps.sql)
  return decide(request, deps)
}

/** Has the signer decide, and stores the outcome. */
async function decide(request: SubmitRequest, deps: SubmitDeps): Promise<ActivityRow> {
  const { submission, stamp, stamps, caller, deadline, requestId, addressOf } = request
  const { body, organizationId } = submission
  const turnOf = caller?.organization.id ?? ""
  const sending = deps.sender.open()
  const clientAddress = () => {
    const address = addressOf()
    return address === undefined ? "" : writeIpAddress(address)
  }
  const policyList = deps.policyLists.held(turnOf)
  const stamped = { body, organizationId, ...stamps, turnOf, policyList, requestId, deadline }
  try {
    const result = await deps.dispatcher.dispatch({ ...stamped, sending, clientAddress })
    if ("refused" in result) {
      await sending.settle()
      return await activityOfRefusal(result.refused, request, deps)
    }
    const { outcome } = result
    const evidence = await evidenceIn(outcome.organizationId, request, deps)
    const row = await inSpan("store the activity", () => deps.outcomes.store(outcome, evidence), "client")
    if (outcome.unacknowledged)
      deps.signer.acknowledge(organizationId, submission.fingerprint, stamp.credential)
    await sending.settle()
    return row
  } finally {
    await sending.close()
  }
}

/** The chain of a send, also where the caller names every value, so that the signer asks for none. @throws ApiError CHAIN_NOT_CONFIGURED */
function requireChain({ activity, parameters }: Submission, { sender }: SubmitDeps): void {
  if (activity.sends) sender.requireChain((parameters as { caip2?: string }).caip2 ?? "")
}

/** Notes the activity for the log. @throws ApiError the stored failure */
function requireNotDenied(row: ActivityRow, state: RequestState): void {
  state.activityId = row.id
  if (isDenied(row)) throw storedError(row.failure)
}

/** The version after the activity, so that voters are shown as they are now. */
function newestVersion(organization: StoredOrganization, { organizations }: SubmitDeps): StoredOrganization {
  const known = organizations.peek(organization.id)
  return known !== undefined && known.version > organization.version ? known : organization
}
