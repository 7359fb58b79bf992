import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Outcome, Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { type DenialAdvice, denialAdvice } from "../../policy-advice/denial-advice.ts"
import { withExpressionAdvice } from "../../policy-advice/refusal-advice.ts"
import { type CallerStores, targetOrganization } from "../authentication/authenticate.ts"
import { isDenial, refusedError } from "../errors.ts"
import { fingerprintText } from "../resources/activity.ts"
import { isPending } from "../resources/vote-rights.ts"
import type { ActivityRow } from "../store/activities.ts"
import type { PolicyLists } from "../store/policy-lists.ts"
import { endPending } from "../store/restored.ts"
import { evidenceIn } from "./evidence.ts"
import type { OutcomeStore } from "./outcome-store.ts"
import { findReplayedAfterRefusal } from "./replay.ts"
import type { CallerRequest, SubmitRequest } from "./request.ts"
import { findTarget, targetOf } from "./vote-target.ts"

export type RefusalDeps = CallerStores & {
  outcomes: OutcomeStore
  policyLists: Pick<PolicyLists, "held" | "outcomesOf">
}

/** A replay is answered with its activity, and a denial is stored. Other refusals leave nothing in the database. */
export async function activityOfRefusal(
  refused: Refused,
  request: SubmitRequest,
  deps: RefusalDeps,
): Promise<ActivityRow> {
  const { submission, stamp } = request
  const refusal = await withPolicyIds(refused, deps)
  if (refusal.code === RefusalCode.CREDENTIAL_UNKNOWN)
    deps.credentials.forget(submission.organizationId, stamp.credential)
  if (request.caller !== undefined) return activityOfCallersRefusal(refusal, request, deps)
  if (refusal.replayed) return storeLost(refusal.replayed, request, deps)
  return storeDenial(refusal, request, deps)
}

/** The refusal's activity for a caller whose right to see it this tier can decide. */
async function activityOfCallersRefusal(
  refusal: Refused,
  request: CallerRequest,
  deps: RefusalDeps,
): Promise<ActivityRow> {
  const { code } = refusal
  const replayed = await findReplayedAfterRefusal(deps.sql, request, code)
  if (replayed) return replayed
  if (refusal.replayed) return storeLost(refusal.replayed, request, deps)
  if (code === RefusalCode.ACTIVITY_EXPIRED) await endExpired(refusal, request, deps)
  return storeDenial(await withStoredStatus(refusal, request, deps), request, deps)
}

/** Stores an activity that the database has lost: it was restored, or not everything of the ledger had reached it. */
async function storeLost(outcome: Outcome, request: SubmitRequest, deps: RefusalDeps): Promise<ActivityRow> {
  return deps.outcomes.store(outcome, await evidenceIn(outcome.organizationId, request, deps))
}

/** Stores the refusal if it is a denial. @throws ApiError the refusal, if it is another one or the denial is only counted */
async function storeDenial(
  refusal: Refused,
  request: SubmitRequest,
  deps: RefusalDeps,
): Promise<ActivityRow> {
  const { code, denial, organizationId } = refusal
  const { activity, parameters } = request.submission
  const denied = { kind: activity.kind, advice: adviceOn(refusal, request) }
  const error = refusedError(withExpressionAdvice(refusal, parameters), undefined, denied)
  if (!isDenial(code) || denial === undefined) throw error
  const evidence = await evidenceIn(organizationId, request, deps)
  const kept = await deps.outcomes.storeDenial(refusal, denial, evidence, error.body())
  // Only counted: the reply names no activity.
  if (kept === undefined) throw error
  // Rules may have changed since the first denial, whose failure the stored activity shows.
  return { ...kept, failure: JSON.stringify(error.body()) }
}

/** A denial lists each policy's outcome with its id, as published. */
async function withPolicyIds(refusal: Refused, { policyLists }: RefusalDeps): Promise<Refused> {
  const { denial, organizationId } = refusal
  if (denial === undefined) return refusal
  const policyOutcomes = [...(await policyLists.outcomesOf(organizationId, denial))]
  return { ...refusal, denial: { ...denial, policyOutcomes } }
}

/**
 * Refuses a vote on a final activity as ACTIVITY_FINAL also when the signer no longer knows it. The signer forgets an activity
 * an hour after its decision, the database does not.
 */
async function withStoredStatus(
  refusal: Refused,
  { submission }: CallerRequest,
  { sql }: RefusalDeps,
): Promise<Refused> {
  if (refusal.code !== RefusalCode.ACTIVITY_UNKNOWN) return refusal
  const row = await findTarget(sql, submission)
  if (row === undefined || isPending(row)) return refusal
  const sentence = `the activity is settled, votes no longer count: ${fingerprintText(row.fingerprint)}`
  return { ...refusal, code: RefusalCode.ACTIVITY_FINAL, sentence, field: "" }
}

/** Stores that the activity voted on has expired, as the refusal of the vote says. */
async function endExpired(
  refusal: Refused,
  { submission }: CallerRequest,
  { sql }: RefusalDeps,
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
