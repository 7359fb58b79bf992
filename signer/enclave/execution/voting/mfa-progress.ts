import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { MfaPolicy, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { decide } from "../../../core/policy/decision/decide.ts"
import type { Approval, DecisionInput } from "../../../core/policy/decision/decision-input.ts"
import {
  evaluateMfaConditions,
  matchingMfaPolicy,
  type MfaProgress,
  mfaProgress,
} from "../../../core/policy/decision/mfa.ts"

/** MFA progress of the submitter and the approvers with the policies they must satisfy. */
export function mfaProgressOf(input: DecisionInput): MfaProgress[] {
  const subjects = mfaSubjects(input)
  evaluateMfaConditions(
    subjects.map(({ user }) => user),
    input.facts,
  )
  return subjects.flatMap((approval) => mfaProgressOfUser(input, approval))
}

/** MFA progress of one user with the credentials of their approval. */
export function mfaProgressOfUser(input: DecisionInput, { user, credentials }: Approval): MfaProgress[] {
  return requiredMfa(user, input).map((policy) => mfaProgress(user, policy, credentials))
}

/**
 * MFA policies the user must satisfy. If none matches this activity but the user is adding their own credentials by
 * default right, all of them apply; otherwise one factor could create the others.
 */
function requiredMfa(user: User, input: DecisionInput): readonly MfaPolicy[] {
  const policy = matchingMfaPolicy(user, input.facts)
  if (policy !== undefined) return [policy]
  return addsOwnCredential(user, input) ? user.mfaPolicies : []
}

/**
 * True if the user is adding their own credentials and neither a policy nor the root quorum allows it. The decision is
 * made as if only they approved, even if their approval no longer counts: time or other approvers do not lift the duty.
 */
function addsOwnCredential(user: User, input: DecisionInput): boolean {
  const { activity, submitterId, approvals } = input
  const isOwn = activity.authority === Authority.OWN_CREDENTIAL && user.userId === submitterId
  if (!isOwn || activity.action !== "CREATE") return false
  const own = approvals.find((approval) => approval.user.userId === submitterId) ?? { user, credentials: [] }
  const decision = decide({ ...input, approvals: [own] })
  return decision.outcome === "allow" && decision.by === "own-credential"
}

/** The approvers, and the submitter without credentials when their approval does not count. */
function mfaSubjects({ organization, submitterId, approvals }: DecisionInput): readonly Approval[] {
  const submitter = organization.user(submitterId)
  if (submitter === undefined || approvals.some(({ user }) => user.userId === submitterId)) return approvals
  return [{ user: submitter, credentials: [] }, ...approvals]
}

/** True if a user has yet to satisfy an MFA policy. */
export function isMfaPending(progress: readonly MfaProgress[], userId: string): boolean {
  return progress.some((one) => one.userId === userId && !one.isMet)
}

/**
 * Keeps approvals whose MFA is complete, each with the newest credentials needed, so a re-added key cannot make one
 * user count twice.
 */
export function countableApprovals(input: DecisionInput, progress: readonly MfaProgress[]): DecisionInput {
  const approvals = input.approvals
    .filter(({ user }) => !isMfaPending(progress, user.userId))
    .map((approval) => {
      const { user, credentials } = approval
      const needed = credentialsNeeded(progress, user.userId)
      return credentials.length <= needed ? approval : { user, credentials: credentials.slice(-needed) }
    })
  return { ...input, approvals }
}

/** The approving votes that countableApprovals keeps. */
export function countableVotes(votes: readonly Vote[], progress: readonly MfaProgress[]): Vote[] {
  const byUser = Map.groupBy(votes, ({ userId }) => userId)
  const counted = new Set(
    [...byUser].flatMap(([userId, own]) =>
      isMfaPending(progress, userId) ? [] : own.slice(-credentialsNeeded(progress, userId)),
    ),
  )
  return votes.filter((vote) => counted.has(vote))
}

/**
 * Number of credentials that make a user's approval: one, and one more for each step they must meet. The credential of their
 * first stamp need not be among those that the steps name.
 */
function credentialsNeeded(progress: readonly MfaProgress[], userId: string): number {
  const own = progress.filter((one) => one.userId === userId)
  return own.reduce((sum, { policy }) => sum + policy.steps.length, 1)
}
