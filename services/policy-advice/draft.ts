import { Effect } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument, Policy } from "../../proto/gen/countersign/state/v1/document_pb.ts"

/** A policy as somebody thinks of making it, or of changing one that there is. */
export type Draft = {
  /** Of the policy whose place it takes; absent: it is a further one. */
  policyId?: string | undefined
  name: string
  effect: "allow" | "deny"
  condition?: string | undefined
  consensus?: string | undefined
  time?: string | undefined
}

/** Whether drafts stand beside the policies that there are, or alone. */
export type DraftSet = { drafts: readonly Draft[]; onlyDrafts: boolean }

/** The document as it would be. Drafts that take no other's place come last, in their order, without an id. */
export function withDrafts(
  document: OrganizationDocument,
  { drafts, onlyDrafts }: DraftSet,
): OrganizationDocument {
  const changed = new Map(drafts.map((draft) => [draft.policyId ?? "", draft]))
  const kept = onlyDrafts ? [] : document.policies
  const known = new Set(kept.map(({ policyId }) => policyId))
  const further = drafts.filter(({ policyId = "" }) => !known.has(policyId))
  const policies = kept.map((policy) => {
    const draft = changed.get(policy.policyId)
    return draft === undefined ? policy : policyOf(draft)
  })
  return { ...document, policies: [...policies, ...further.map(policyOf)] }
}

/** As create_policy would keep it. */
function policyOf({ policyId = "", name, effect, condition, consensus, time }: Draft): Policy {
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
