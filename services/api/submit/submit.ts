import { writeIpAddress } from "../../../signer/core/organization/ip-block.ts"
import { Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { requireFresh } from "../../../signer/core/freshness.ts"
import type { Stamp } from "../../../signer/core/stamp/read-stamp.ts"
import { isLargeBody } from "../../../signer/core/stamp/large-body.ts"
import type { RequestState } from "../../common/context.ts"
import { inSpan } from "../../common/tracing/tracer.ts"
import {
  requireOwnStamp,
  type RequireAllowedAddress,
  type StampValues,
  targetOrganization,
  unknownOrganization,
} from "../authentication/authenticate.ts"
import type { AcceptedStamps } from "../authentication/accepted-stamps.ts"
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
  acceptedStamps: AcceptedStamps
  now: () => number
}

/** The parts of the request other than its body. */
type SubmitHeaders = Pick<SubmitRequest, "addressOf" | "deadline"> & {
  stamps: StampValues
  stamp: Stamp
  requireAllowed: RequireAllowedAddress
  /** Remembers the caller, whose stamp is valid, by their organization. */
  remember: (home: StoredOrganization) => void
}

/** An activity and its caller, for the reply. */
export type Submitted = { row: ActivityRow; organization: StoredOrganization; userId: string }

/**
 * Submits an activity: authenticates the caller early, looks for the activity of a repeated body, has the signer decide
 * and stores the outcome. Fills `state` for the log.
 */
export async function submit(
  submission: Submission,
  { stamps, stamp, addressOf, deadline, ...caller }: SubmitHeaders,
  state: RequestState,
  deps: SubmitDeps,
): Promise<Submitted> {
  state.organizationId = submission.organizationId
  const nowMs = deps.now()
  const { requestId } = state
  const request = { submission, stamps, stamp, nowMs, deadline, requestId, addressOf }
  const end = mayBeLeft(request)
    ? deps.acceptedStamps.begin(submission.organizationId, stamp.credential)
    : undefined
  try {
    return await submitBy(request, { ...caller, isLeft: end !== undefined }, state, deps)
  } finally {
    end?.()
  }
}

/**
 * True if the signer's check of the stamp suffices for a caller whose stamps it has accepted: a signature looks up nothing,
 * fills in nothing and stores nothing before the signer has decided.
 */
function mayBeLeft({ submission: { activity, body }, stamp }: UnidentifiedRequest): boolean {
  return (
    activity.consequence === Consequence.SIGNS &&
    !activity.sends &&
    stamp.kind === "api-key" &&
    !isLargeBody(body)
  )
}

type CallerHeaders = Pick<SubmitHeaders, "requireAllowed" | "remember"> & { isLeft: boolean }

async function submitBy(
  request: UnidentifiedRequest,
  headers: CallerHeaders,
  state: RequestState,
  deps: SubmitDeps,
): Promise<Submitted> {
  const { submission, stamp, nowMs } = request
  const { isLeft } = headers
  const caller = await identifySubmitCaller({ ...submission, stamp, nowMs, isLeft }, deps)
  if (caller === undefined) return submitUnidentified(request, headers, state, deps)
  return submitOfCaller({ ...request, caller }, headers, state, deps)
}

async function submitOfCaller(
  request: CallerRequest,
  { requireAllowed, remember }: CallerHeaders,
  state: RequestState,
  deps: SubmitDeps,
): Promise<Submitted> {
  const { submission, stamp, caller, nowMs } = request
  const { organization: home, isLeft = false } = caller
  let isAllowed = false
  let row: ActivityRow
  try {
    if (!(await isRemovalByQuorum(request, deps.sql))) {
      await requireAllowed(home, stamp.credential)
      isAllowed = true
    }
    if (isAllowed && !isLeft) remember(home)
    requireFresh(submission.timestampMs, nowMs)
    row = (await findCurrentReplay(request, deps)) ?? (await decideNew(request, deps))
  } catch (error) {
    // An invalid stamp is answered as one, also if something else is wrong.
    requireLeftStamp(request, deps)
    if (isAllowed && isLeft) remember(home)
    throw error
  }
  if (isAllowed && isLeft) remember(home)
  requireNotDenied(row, state)
  const organization = newestVersion(targetOrganization(caller), deps)
  return { row, organization, userId: caller.owner.user.userId }
}

/** Verifies a stamp that was left to the signer, and leaves no further one of its credential. @throws Refusal STAMP_INVALID */
function requireLeftStamp({ submission, stamp, caller, nowMs }: CallerRequest, deps: SubmitDeps): void {
  if (caller.isLeft !== true) return
  try {
    requireOwnStamp(stamp, submission.body, caller.owner, nowMs)
  } catch (error) {
    deps.acceptedStamps.drop(submission.organizationId, stamp.credential)
    throw error
  }
}

/** Submits a request whose caller the signer identifies while it decides. */
async function submitUnidentified(
  request: UnidentifiedRequest,
  { requireAllowed, remember }: CallerHeaders,
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
  await requireAllowed(organization, stamp.credential)
  remember(organization)
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
      if (result.refused.code === RefusalCode.STAMP_INVALID)
        deps.acceptedStamps.drop(organizationId, stamp.credential)
      if (caller !== undefined) requireLeftStamp({ ...request, caller }, deps)
      return await activityOfRefusal(result.refused, request, deps)
    }
    const { outcome } = result
    if (caller !== undefined) deps.acceptedStamps.accept(caller.organization.id, stamp.credential)
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
