import { Effect } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument, Policy } from "../../proto/gen/countersign/state/v1/document_pb.ts"

/** A policy that might be created, or an existing one as it might be changed. */
export type PolicyDraft = {
  /** Id of the policy that the draft replaces; absent: the draft is a new policy. */
  policyId?: string | undefined
  name: string
  effect: "allow" | "deny"
  condition?: string | undefined
  consensus?: string | undefined
  time?: string | undefined
}

/** Drafts to simulate. `onlyDrafts`: the existing policies are left out. */
export type DraftSet = { drafts: readonly PolicyDraft[]; onlyDrafts: boolean }

/** The document with the drafts. New policies come last, in their order, without an id. */
export function withDrafts(
  document: OrganizationDocument,
  { drafts, onlyDrafts }: DraftSet,
): OrganizationDocument {
  const replacements = new Map(drafts.map((draft) => [draft.policyId ?? "", draft]))
  const kept = onlyDrafts ? [] : document.policies
  const known = new Set(kept.map(({ policyId }) => policyId))
  const added = drafts.filter(({ policyId = "" }) => !known.has(policyId))
  const policies = kept.map((policy) => {
    const draft = replacements.get(policy.policyId)
    return draft === undefined ? policy : policyOf(draft)
  })
  return { ...document, policies: [...policies, ...added.map(policyOf)] }
}

/** The policy as create_policy would keep it. */
function policyOf({ policyId = "", name, effect, condition, consensus, time }: PolicyDraft): Policy {
  return {
    $typeName: "countersign.state.v1.Policy",
    policyId,
    name,
    effect: effect === "allow" ? Effect.ALLOW : Effect.DENY,
    notes: "",
    createdAtMs: 0n,
    updatedAtMs: 0n,
    ...(condition && { condition }),
    ...(consensus && { consensus }),
    ...(time && { time }),
  }
}
