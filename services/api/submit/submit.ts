import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { isSend } from "../../../signer/core/send/facts.ts"
import { readStampHeaders } from "../../../signer/core/stamp/read-stamp.ts"
import type { RequestState } from "../../common/context.ts"
import { type DenialAdvice, denialAdvice } from "../../policy-advice/denial-advice.ts"
import { withExpressionAdvice } from "../../policy-advice/refusal-advice.ts"
import {
  type RequireAllowedAddress,
  type CallerStores,
  type StampValues,
  targetOrganization,
  unknownOrganization,
} from "../authentication/authenticate.ts"
import { callerIn, identifySubmitCaller, requireCurrentCredential } from "../authentication/submit-caller.ts"
import { isDenial, refusedError, storedError } from "../errors.ts"
import type { Signer } from "../signer/signer.ts"
import type { ActivityRow } from "../store/activities.ts"
import type { PolicyLists } from "../store/policy-lists.ts"
import { endPending } from "../store/restored.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { type Evidence, isDenied } from "./activity-rows.ts"
import type { Deadline } from "../../../signer/core/turns/deadline.ts"
import { writeIpAddress } from "../../../signer/core/organization/ip-block.ts"
import { requireLive } from "../../../signer/core/liveness.ts"
import type { Submission } from "./envelope.ts"
import { type CallerAddress, isRemovalByQuorum, requireOwnAddress } from "./ip-allowlist-rules.ts"
import type { OrderDispatcher } from "./order-dispatcher.ts"
import type { OutcomeStore } from "./outcome-store.ts"
import type { Sender } from "../sending/sender.ts"
import {
  type CallerRequest,
  findReplayed,
  findReplayedAfterRefusal,
  hasCaller,
  shownStamp,
  type SubmitRequest,
  targetOf,
  withStoredStatus,
} from "./replay.ts"
import { requireDeliveries } from "./webhook-deliveries.ts"

export type SubmitDeps = CallerStores & {
  dispatcher: OrderDispatcher
  outcomes: OutcomeStore
  sender: Pick<Sender, "requireChain" | "open">
  signer: Pick<Signer, "acknowledge">
  policyLists: Pick<PolicyLists, "held" | "outcomesOf">
  now: () => number
}

/** The parts of the request other than its body. */
type SubmitHeaders = {
  stamps: StampValues
  admit: RequireAllowedAddress
  addressOf: CallerAddress
  deadline: Deadline
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
  const request = { submission, stamps, stamp, caller, nowMs, deadline, requestId, addressOf }
  if (hasCaller(request) && !(await isRemovalByQuorum(request, deps.sql)))
    await admit(request.caller.organization, stamp.credential)
  requireLive(submission.timestampMs, nowMs)
  const replayed = hasCaller(request) ? await findReplayed(deps.sql, request) : undefined
  if (replayed === undefined) requireChain(submission, deps)
  if (hasCaller(request) && replayed === undefined) {
    requireOwnAddress(request, addressOf)
    await requireDeliveries(request, deps.sql)
  }
  // The signer is not asked about a replay, so the credential must still be in the database.
  if (caller && replayed) await requireCurrentCredential(stamp, caller.organization.id, deps)
  const row = replayed ?? (await decide(request, deps))
  state.activityId = row.id
  if (isDenied(row)) throw storedError(row.failure)
  const organization =
    (caller && targetOrganization(caller)) ?? (await deps.organizations.get(row.organizationId))
  if (organization === undefined) throw unknownOrganization(row.organizationId)
  // The signer has identified the caller. A login's session serves from allowed addresses only, so nothing was lost.
  if (caller === undefined) await admit(organization, stamp.credential)
  return {
    row,
    organization: newestVersion(organization, deps),
    userId: caller?.owner.user.userId ?? row.userId,
  }
}

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
  const order = { ...stamped, sending, clientAddress }
  try {
    const result = await deps.dispatcher.dispatch(order)
    if ("refused" in result) {
      await sending.settle()
      return await handleRefusal(result.refused, request, deps)
    }
    const { outcome } = result
    const row = await deps.outcomes.store(outcome, await evidenceIn(outcome.organizationId, request, deps))
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
  if (isSend(activity)) sender.requireChain((parameters as { caip2?: string }).caip2 ?? "")
}

/** A replay is answered with its activity, and a denial is stored. Other refusals leave nothing in the database. */
async function handleRefusal(
  refused: Refused,
  request: SubmitRequest,
  deps: SubmitDeps,
): Promise<ActivityRow> {
  const { submission, stamp } = request
  const refusal = await withPolicyIds(refused, deps)
  const { code, denial, organizationId } = refusal
  if (code === RefusalCode.CREDENTIAL_UNKNOWN)
    deps.credentials.forget(submission.organizationId, stamp.credential)
  const replayed = hasCaller(request) ? await findReplayedAfterRefusal(deps.sql, request, code) : undefined
  if (replayed) return replayed
  // The database has lost the activity: it was restored, or not everything of the ledger had reached it.
  if (refusal.replayed)
    return deps.outcomes.store(
      refusal.replayed,
      await evidenceIn(refusal.replayed.organizationId, request, deps),
    )
  if (code === RefusalCode.ACTIVITY_EXPIRED && hasCaller(request)) await endExpired(refusal, request, deps)
  const completed = hasCaller(request) ? await withStoredStatus(deps.sql, request, refusal) : refusal
  const denied = { kind: submission.activity.kind, advice: adviceOn(refusal, request) }
  const error = refusedError(withExpressionAdvice(completed, submission.parameters), undefined, denied)
  if (isDenial(code) && denial) {
    const evidence = await evidenceIn(organizationId, request, deps)
    const kept = await deps.outcomes.storeDenial(refusal, denial, evidence, error.body())
    // Only counted: the reply names no activity.
    if (kept === undefined) throw error
    // Rules may have changed since the first denial, whose failure the stored activity shows.
    return { ...kept, failure: JSON.stringify(error.body()) }
  }
  throw error
}

/** A denial lists each policy's outcome with its id, as published. */
async function withPolicyIds(refusal: Refused, { policyLists }: SubmitDeps): Promise<Refused> {
  const { denial, organizationId } = refusal
  if (denial === undefined) return refusal
  const policyOutcomes = [...(await policyLists.outcomesOf(organizationId, denial))]
  return { ...refusal, denial: { ...denial, policyOutcomes } }
}

/** Stores that the activity voted on has expired, as the refusal of the vote says. */
async function endExpired(
  refusal: Refused,
  { submission }: CallerRequest,
  { sql }: SubmitDeps,
): Promise<void> {
  const { organizationId } = submission
  const failure = JSON.stringify(refusedError(refusal).body())
  const activity = { organizationId, fingerprint: targetOf(submission) }
  await endPending(sql, activity, { status: "ACTIVITY_STATUS_FAILED", failure })
}

/**
 * The advice on a denial. Policies have their names for a caller whose address was admitted to their organization: every
 * user of an organization reads its policies.
 */
function adviceOn(
  { denial, organizationId, exceededControls: exceeded }: Refused,
  { submission: { activity, parameters }, caller }: SubmitRequest,
): DenialAdvice | undefined {
  if (denial === undefined) return undefined
  const { userId, policyOutcomes: outcomes } = denial
  const isOwn = caller !== undefined && targetOrganization(caller).id === organizationId
  const policies = isOwn ? caller.organization.document.policies : []
  return denialAdvice({ activity, parameters, userId, outcomes, policies, exceeded })
}

/** The request as it is stored with its vote. The signer names the organization: a login may have named the parent. */
async function evidenceIn(
  organizationId: string,
  { submission, stamp, caller }: SubmitRequest,
  deps: SubmitDeps,
): Promise<Evidence> {
  const isCallers = organizationId === "" || (caller && targetOrganization(caller).id === organizationId)
  const known = isCallers ? caller : await callerIn(organizationId, stamp, deps)
  return {
    ...submission,
    organizationId: organizationId || (known ? targetOrganization(known).id : submission.organizationId),
    stamp: shownStamp(stamp, known?.owner),
  }
}

/** The version after the activity, so that voters are shown as they are now. */
function newestVersion(organization: StoredOrganization, { organizations }: SubmitDeps): StoredOrganization {
  const known = organizations.peek(organization.id)
  return known !== undefined && known.version > organization.version ? known : organization
}
