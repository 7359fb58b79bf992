import { create } from "@bufbuild/protobuf"
import { type Policy, PolicySchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { requireTextSize, requireUniqueName } from "./checks.ts"
import type { Draft } from "./draft.ts"
import { MAX_POLICY_BYTES } from "./limits.ts"
import { requireControlsRead } from "./velocity-controls.ts"

/** The three expressions of a policy. An absent one always holds; "" is never stored. */
type Expressions = Pick<Policy, "condition" | "consensus" | "time">

export type NewPolicy = Pick<Policy, "policyId" | "name" | "effect" | "notes"> & Expressions

/** Members of an update. Absent members stay unchanged; "" removes an expression. */
export type PolicyChange = {
  readonly [member in "name" | "effect" | "notes" | keyof Expressions]: Policy[member] | undefined
}

/**
 * The caller has compiled the expressions; users, tags and keys that these name need not exist.
 * @throws LIMIT_EXCEEDED, NAME_TAKEN, EXPRESSION_FIELD_UNKNOWN, POLICIES_TOO_LARGE
 */
export function addPolicy(draft: Draft, policy: NewPolicy, field: string): void {
  const { policies } = draft.document
  const { policies: max } = draft.limits
  if (policies.length >= max)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${max} policies`, { field })
  const { policyId, name, effect, notes } = policy
  requireUniqueName(policies, name, "policy label", `${field}.policyName`)
  requireControlsRead(draft.document, policy.condition, `${field}.condition`)
  const added = create(PolicySchema, { policyId, name, effect, notes, ...draft.created })
  setExpressions(added, policy)
  policies.push(added)
  requireSize(draft, field)
  draft.markChanged()
}

/** Returns the policy's id. @throws RESOURCE_UNKNOWN, NAME_TAKEN, EXPRESSION_FIELD_UNKNOWN, POLICIES_TOO_LARGE */
export function changePolicy(draft: Draft, policyId: string, change: PolicyChange, field: string): string {
  const policy = requirePolicy(draft, policyId, `${field}.policyId`)
  const { name, effect, notes } = change
  const others = draft.document.policies.filter((other) => other !== policy)
  if (name !== undefined) requireUniqueName(others, name, "policy label", `${field}.policyName`)
  requireControlsRead(draft.document, change.condition, `${field}.policyCondition`)
  policy.name = name ?? policy.name
  policy.effect = effect ?? policy.effect
  policy.notes = notes ?? policy.notes
  setExpressions(policy, change)
  requireSize(draft, field)
  draft.touch(policy)
  return policy.policyId
}

/** Deletes policies, all or none; returns their ids, each once. @throws RESOURCE_UNKNOWN with field `fieldOf(index)` */
export function removePolicies(
  draft: Draft,
  ids: readonly string[],
  fieldOf: (index: number) => string,
): string[] {
  const removed = new Set(ids.map((policyId, index) => requirePolicy(draft, policyId, fieldOf(index))))
  const { document } = draft
  document.policies = document.policies.filter((policy) => !removed.has(policy))
  draft.markChanged()
  return [...removed].map(({ policyId }) => policyId)
}

/** `id` in upper or lower case. */
function requirePolicy({ document, id: organizationId }: Draft, id: string, field: string): Policy {
  const policyId = id.toLowerCase()
  const policy = document.policies.find((candidate) => candidate.policyId === policyId)
  if (policy !== undefined) return policy
  const sentence = `unable to find policy ${policyId} in organization ${organizationId}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field })
}

function setExpressions(policy: Policy, expressions: Expressions): void {
  for (const name of ["condition", "consensus", "time"] as const) {
    const text = expressions[name]
    if (text === "") delete policy[name]
    else if (text !== undefined) policy[name] = text
  }
}

function requireSize({ document }: Draft, field: string): void {
  const texts = document.policies.flatMap((policy) => {
    const { name, notes, condition = "", consensus = "", time = "" } = policy
    return [name, notes, condition, consensus, time]
  })
  requireTextSize(texts, SIZE, field)
}

const SIZE = {
  max: MAX_POLICY_BYTES,
  texts: "names, notes and expressions of all policies",
  code: "POLICIES_TOO_LARGE",
} as const
