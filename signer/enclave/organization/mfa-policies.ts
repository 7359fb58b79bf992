import { create, type MessageInitShape } from "@bufbuild/protobuf"
import {
  AuthenticationType,
  AuthenticationTypeSchema,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type MfaPolicy,
  MfaPolicySchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_MFA_POLICIES, MAX_MFA_POLICY_BYTES } from "./limits.ts"
import { requireUser } from "./users.ts"

/** Steps as a request writes them. */
export type Steps = readonly {
  readonly any: readonly { type: AuthenticationType; id?: string | undefined }[]
}[]

export type NewMfaPolicy = Pick<MfaPolicy, "mfaPolicyId" | "name" | "condition" | "order"> & {
  steps: Steps
  notes: string | undefined
}

/** What an update says; what is absent stays, and so do steps of which there are none. */
export type MfaPolicyChange = {
  name: string | undefined
  condition: string | undefined
  steps: Steps
  order: number | undefined
  notes: string | undefined
}

/** Paths of the members that refusals name. */
export type MfaFields = { userId: string; mfaPolicyId: string; name: string; steps: string }

/**
 * Gives a user an MFA policy. Its condition was compiled by the caller; credentials that it names need not exist.
 *
 * @throws RESOURCE_UNKNOWN, LIMIT_EXCEEDED, NAME_TAKEN, POLICIES_TOO_LARGE, AUTHENTICATION_METHOD_NOT_SERVED
 */
export function addMfaPolicy(
  draft: OrganizationDraft,
  userId: string,
  policy: NewMfaPolicy,
  fields: MfaFields,
): void {
  const user = requireUser(draft, userId, fields.userId)
  if (user.mfaPolicies.length >= MAX_MFA_POLICIES) {
    throw refuse("LIMIT_EXCEEDED", `a user has at most ${MAX_MFA_POLICIES} MFA policies`, {
      field: fields.userId,
    })
  }
  const { mfaPolicyId, name, condition, order, notes } = policy
  requireFreeName(user, mfaPolicyId, name, fields.name)
  const times = { createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs }
  const steps = readSteps(policy.steps, fields.steps)
  const text = notes === undefined ? {} : { notes }
  user.mfaPolicies.push(
    create(MfaPolicySchema, { mfaPolicyId, name, condition, order, steps, ...text, ...times }),
  )
  finish(draft, user, fields)
}

/** @returns its id @throws RESOURCE_UNKNOWN, NAME_TAKEN, POLICIES_TOO_LARGE, AUTHENTICATION_METHOD_NOT_SERVED */
export function changeMfaPolicy(
  draft: OrganizationDraft,
  place: { userId: string; mfaPolicyId: string },
  change: MfaPolicyChange,
  fields: MfaFields,
): string {
  const user = requireUser(draft, place.userId, fields.userId)
  const policy = requireMfaPolicy(user, place.mfaPolicyId, fields)
  const { name, condition, steps, order, notes } = change
  if (name !== undefined) requireFreeName(user, policy.mfaPolicyId, name, fields.name)
  policy.name = name ?? policy.name
  policy.condition = condition ?? policy.condition
  if (steps.length > 0)
    policy.steps = create(MfaPolicySchema, { steps: readSteps(steps, fields.steps) }).steps
  policy.order = order ?? policy.order
  if (notes !== undefined) policy.notes = notes
  policy.updatedAtMs = draft.nowMs
  finish(draft, user, fields)
  return policy.mfaPolicyId
}

/** @returns its id @throws RESOURCE_UNKNOWN */
export function removeMfaPolicy(
  draft: OrganizationDraft,
  place: { userId: string; mfaPolicyId: string },
  fields: MfaFields,
): string {
  const user = requireUser(draft, place.userId, fields.userId)
  const leaving = requireMfaPolicy(user, place.mfaPolicyId, fields)
  user.mfaPolicies = user.mfaPolicies.filter((policy) => policy !== leaving)
  finish(draft, user, fields)
  return leaving.mfaPolicyId
}

function finish(draft: OrganizationDraft, user: User, fields: MfaFields): void {
  requireSmall(draft, fields.name)
  user.updatedAtMs = draft.nowMs
  draft.markChanged()
}

function requireMfaPolicy({ mfaPolicies, userId }: User, named: string, fields: MfaFields): MfaPolicy {
  const mfaPolicyId = named.toLowerCase()
  const policy = mfaPolicies.find((candidate) => candidate.mfaPolicyId === mfaPolicyId)
  if (policy !== undefined) return policy
  const sentence = `unable to find MFA policy ${mfaPolicyId} of user ${userId}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field: fields.mfaPolicyId })
}

function requireFreeName({ mfaPolicies }: User, mfaPolicyId: string, name: string, field: string): void {
  if (!mfaPolicies.some((other) => other.name === name && other.mfaPolicyId !== mfaPolicyId)) return
  throw refuse("NAME_TAKEN", `policy label must be unique: ${name} is taken`, { field })
}

/** What a stamp shows. One-time codes and OpenID tokens come with attested stamps. */
const STAMPED: ReadonlySet<AuthenticationType> = new Set([
  AuthenticationType.PASSKEY,
  AuthenticationType.API_KEY,
  AuthenticationType.SESSION,
])

/** Whoever had to show what cannot be shown would be locked out. */
function readSteps(steps: Steps, field: string): MessageInitShape<typeof MfaPolicySchema>["steps"] & object {
  return steps.map(({ any }, index) => ({
    any: any.map(({ type, id = "" }, at) => {
      if (STAMPED.has(type)) return { type, id: id.toLowerCase() }
      const name = AuthenticationTypeSchema.value[type]?.name ?? String(type)
      const sentence = `${name} cannot be shown yet: passkeys, API keys and sessions can`
      throw refuse("AUTHENTICATION_METHOD_NOT_SERVED", sentence, {
        field: `${field}[${index}].any[${at}].type`,
      })
    }),
  }))
}

/** The document is read, signed and stored whole with every change. */
function requireSmall({ document }: OrganizationDraft, field: string): void {
  const policies = document.users.flatMap(({ mfaPolicies }) => mfaPolicies)
  const bytes = policies.reduce((sum, policy) => sum + sizeOf(policy), 0)
  if (bytes <= MAX_MFA_POLICY_BYTES) return
  const sentence = `names, notes and conditions of all MFA policies are over ${MAX_MFA_POLICY_BYTES} bytes together`
  throw refuse("POLICIES_TOO_LARGE", sentence, { field })
}

function sizeOf({ name, notes = "", condition, steps }: MfaPolicy): number {
  const ids = steps.flatMap(({ any }) => any.map(({ id }) => id))
  return [name, notes, condition, ...ids].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
