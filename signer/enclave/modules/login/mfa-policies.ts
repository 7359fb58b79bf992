import { create, type MessageInitShape } from "@bufbuild/protobuf"
import { AuthenticationType, OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { MfaPolicy, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { MfaPolicySchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { counted } from "../../../core/counted.ts"
import { requireChannelOn } from "../../../core/otp/channel.ts"
import { reachableSteps } from "../../../core/policy/decision/mfa.ts"
import { refuse } from "../../../core/refusal.ts"
import { requireTextSize, requireUniqueName } from "../../organization/checks.ts"
import type { Draft } from "../../organization/draft.ts"
import { MAX_MFA_POLICIES, MAX_MFA_POLICY_BYTES } from "../../organization/limits.ts"
import { requireUser } from "../../organization/users.ts"

/** Required authentication methods as a request writes them: of each step any one method. */
type Steps = readonly { readonly any: readonly { type: AuthenticationType; id?: string | undefined }[] }[]

export type NewMfaPolicy = Pick<MfaPolicy, "mfaPolicyId" | "name" | "condition" | "order"> & {
  steps: Steps
  notes: string | undefined
}

/** Members of an update. Absent members stay unchanged, and so do the steps when the list is empty. */
type MfaPolicyChange = {
  name: string | undefined
  condition: string | undefined
  steps: Steps
  order: number | undefined
  notes: string | undefined
}

type MfaPolicyName = { userId: string; mfaPolicyId: string }

/** Paths of the members that refusals name, alike in all MFA policy activities. */
const FIELDS = {
  userId: "parameters.userId",
  mfaPolicyId: "parameters.mfaPolicyId",
  name: "parameters.mfaPolicyName",
  steps: "parameters.requiredAuthenticationMethods",
}

/**
 * Adds an MFA policy to a user. The caller has compiled its condition.
 * @throws RESOURCE_UNKNOWN, LIMIT_EXCEEDED, NAME_TAKEN, POLICIES_TOO_LARGE, OTP_DISABLED, MFA_POLICY_UNSATISFIABLE
 */
export function addMfaPolicy(draft: Draft, userId: string, policy: NewMfaPolicy): void {
  const user = requireUser(draft, userId, FIELDS.userId)
  if (user.mfaPolicies.length >= MAX_MFA_POLICIES) {
    const sentence = `a user has at most ${MAX_MFA_POLICIES} MFA policies`
    throw refuse("LIMIT_EXCEEDED", sentence, { field: FIELDS.userId })
  }
  requireUniqueName(user.mfaPolicies, policy.name, "policy label", FIELDS.name)
  const { notes, ...members } = policy
  const init = { ...members, steps: readSteps(policy.steps, draft), ...(notes !== undefined && { notes }) }
  const added = create(MfaPolicySchema, { ...init, ...draft.created })
  requireSatisfiable(user, added, draft)
  user.mfaPolicies.push(added)
  finish(draft, user)
}

/**
 * Returns the policy's id.
 * @throws RESOURCE_UNKNOWN, NAME_TAKEN, POLICIES_TOO_LARGE, OTP_DISABLED, MFA_POLICY_UNSATISFIABLE
 */
export function changeMfaPolicy(
  draft: Draft,
  { userId, mfaPolicyId }: MfaPolicyName,
  { name, condition, steps, order, notes }: MfaPolicyChange,
): string {
  const user = requireUser(draft, userId, FIELDS.userId)
  const policy = requireMfaPolicy(user, mfaPolicyId)
  const others = user.mfaPolicies.filter((other) => other !== policy)
  if (name !== undefined) requireUniqueName(others, name, "policy label", FIELDS.name)
  policy.name = name ?? policy.name
  policy.condition = condition ?? policy.condition
  if (steps.length > 0) {
    policy.steps = create(MfaPolicySchema, { steps: readSteps(steps, draft) }).steps
    requireSatisfiable(user, policy, draft)
  }
  policy.order = order ?? policy.order
  if (notes !== undefined) policy.notes = notes
  policy.updatedAtMs = draft.nowMs
  finish(draft, user)
  return policy.mfaPolicyId
}

/** Returns the policy's id. @throws RESOURCE_UNKNOWN */
export function removeMfaPolicy(draft: Draft, { userId, mfaPolicyId }: MfaPolicyName): string {
  const user = requireUser(draft, userId, FIELDS.userId)
  const removed = requireMfaPolicy(user, mfaPolicyId)
  user.mfaPolicies = user.mfaPolicies.filter((policy) => policy !== removed)
  finish(draft, user)
  return removed.mfaPolicyId
}

function finish(draft: Draft, user: User): void {
  const texts = draft.document.users.flatMap(({ mfaPolicies }) => mfaPolicies.flatMap(textsOf))
  requireTextSize(texts, SIZE, FIELDS.name)
  draft.touch(user)
}

/** `id` in upper or lower case. */
function requireMfaPolicy({ mfaPolicies, userId }: User, id: string): MfaPolicy {
  const mfaPolicyId = id.toLowerCase()
  const policy = mfaPolicies.find((candidate) => candidate.mfaPolicyId === mfaPolicyId)
  if (policy !== undefined) return policy
  const sentence = `unable to find MFA policy ${mfaPolicyId} of user ${userId}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field: FIELDS.mfaPolicyId })
}

/** Methods that take a code of a channel. */
const CHANNELS: ReadonlyMap<AuthenticationType, OtpType> = new Map([
  [AuthenticationType.EMAIL_OTP, OtpType.EMAIL],
  [AuthenticationType.SMS_OTP, OtpType.SMS],
])

/** Refuses codes by a channel that the organization has switched off: a policy that requires one would lock the user out. */
function readSteps(
  steps: Steps,
  { document }: Pick<Draft, "document">,
): MessageInitShape<typeof MfaPolicySchema>["steps"] & object {
  return steps.map(({ any }, index) => ({
    any: any.map(({ type, id = "" }, at) => {
      const channel = CHANNELS.get(type)
      const field = `${FIELDS.steps}[${index}].any[${at}].type`
      if (channel !== undefined) requireChannelOn(document, channel, field)
      return { type, id: id.toLowerCase() }
    }),
  }))
}

/** A policy that its user cannot meet would lock them out of what it is about. */
function requireSatisfiable(user: User, { steps }: MfaPolicy, { nowMs }: Draft): void {
  const reachable = reachableSteps(user, steps, Number(nowMs))
  if (reachable === steps.length) return
  const sentence =
    `the credentials of user ${user.userId} meet ${reachable} of ${counted(steps.length, "step")}: ` +
    "register the others first, or demand what the user has"
  throw refuse("MFA_POLICY_UNSATISFIABLE", sentence, { field: FIELDS.steps })
}

function textsOf({ name, notes = "", condition, steps }: MfaPolicy): string[] {
  return [name, notes, condition, ...steps.flatMap(({ any }) => any.map(({ id }) => id))]
}

const SIZE = {
  max: MAX_MFA_POLICY_BYTES,
  texts: "names, notes and conditions of all MFA policies",
  code: "POLICIES_TOO_LARGE",
} as const
