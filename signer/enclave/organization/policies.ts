import { create } from "@bufbuild/protobuf"
import { type Policy, PolicySchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_POLICIES, MAX_POLICY_BYTES } from "./limits.ts"

/** The three expressions of a policy. An absent one holds; "" is never stored. */
type Expressions = Pick<Policy, "condition" | "consensus" | "time">

export type NewPolicy = Pick<Policy, "policyId" | "name" | "effect" | "notes"> & Expressions

/** What an update says; what is absent stays, and "" takes an expression away. */
export type PolicyChange = {
  readonly [member in "name" | "effect" | "notes" | keyof Expressions]: Policy[member] | undefined
}

/**
 * Adds a policy behind those that are there. Its expressions were compiled by the caller; users, tags and keys that
 * they name need not exist.
 *
 * @throws LIMIT_EXCEEDED, NAME_TAKEN, POLICIES_TOO_LARGE
 */
export function addPolicy(draft: OrganizationDraft, policy: NewPolicy, field: string): void {
  const { policies } = draft.document
  if (policies.length >= MAX_POLICIES) {
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_POLICIES} policies`, { field })
  }
  requireFreeName(draft, policy.policyId, policy.name, `${field}.policyName`)
  const { policyId, name, effect, notes } = policy
  const times = { createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs }
  const added = create(PolicySchema, { policyId, name, effect, notes, ...times })
  setExpressions(added, policy)
  policies.push(added)
  requireSmall(draft, field)
  draft.markChanged()
}

/** @returns its id @throws RESOURCE_UNKNOWN, NAME_TAKEN, POLICIES_TOO_LARGE */
export function changePolicy(
  draft: OrganizationDraft,
  policyId: string,
  change: PolicyChange,
  field: string,
): string {
  const policy = requirePolicy(draft, policyId, `${field}.policyId`)
  const { name, effect, notes } = change
  if (name !== undefined) requireFreeName(draft, policy.policyId, name, `${field}.policyName`)
  policy.name = name ?? policy.name
  policy.effect = effect ?? policy.effect
  policy.notes = notes ?? policy.notes
  setExpressions(policy, change)
  policy.updatedAtMs = draft.nowMs
  requireSmall(draft, field)
  draft.markChanged()
  return policy.policyId
}

/**
 * Deletes policies, all or none.
 *
 * @returns their ids, each once
 * @throws RESOURCE_UNKNOWN; the refusal's field is what `fieldOf` answers for the place in the list
 */
export function removePolicies(
  draft: OrganizationDraft,
  policyIds: readonly string[],
  fieldOf: (index: number) => string,
): string[] {
  const leaving = new Set(policyIds.map((policyId, index) => requirePolicy(draft, policyId, fieldOf(index))))
  const { document } = draft
  document.policies = document.policies.filter((policy) => !leaving.has(policy))
  draft.markChanged()
  return [...leaving].map(({ policyId }) => policyId)
}

/** Ids in any case. */
function requirePolicy({ document, id }: OrganizationDraft, named: string, field: string): Policy {
  const policyId = named.toLowerCase()
  const policy = document.policies.find((candidate) => candidate.policyId === policyId)
  if (policy !== undefined) return policy
  throw refuse("RESOURCE_UNKNOWN", `unable to find policy ${policyId} in organization ${id}`, { field })
}

function setExpressions(policy: Policy, expressions: Expressions): void {
  for (const name of ["condition", "consensus", "time"] as const) {
    const text = expressions[name]
    if (text === "") delete policy[name]
    else if (text !== undefined) policy[name] = text
  }
}

/** Names are compared as they are, code unit by code unit; a policy does not stand in its own way. */
function requireFreeName(
  { document }: OrganizationDraft,
  policyId: string,
  name: string,
  field: string,
): void {
  if (!document.policies.some((other) => other.name === name && other.policyId !== policyId)) return
  throw refuse("NAME_TAKEN", `policy label must be unique: ${name} is taken`, { field })
}

/** Every request of the organization is decided with all of them, and every change of it stores them anew. */
function requireSmall({ document }: OrganizationDraft, field: string): void {
  const bytes = document.policies.reduce((sum, policy) => sum + sizeOf(policy), 0)
  if (bytes <= MAX_POLICY_BYTES) return
  const sentence = `names, notes and expressions of all policies are over ${MAX_POLICY_BYTES} bytes together`
  throw refuse("POLICIES_TOO_LARGE", sentence, { field })
}

function sizeOf({ name, notes, condition = "", consensus = "", time = "" }: Policy): number {
  return [name, notes, condition, consensus, time].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
