import type { Decision } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { PolicyOutcome } from "../../../core/policy/decision/policy-evaluator.ts"
import { type PolicySet, policiesOf } from "../../../core/policy/decision/policy-set.ts"
import { packOutcomes, policyListDigest } from "../../../core/policy/outcome-list.ts"
import type { AuthenticatedRequest } from "../state/request.ts"

const NOTHING = new Uint8Array(0)

/** Digests by set of policies, which stays the same until a policy is created or deleted. */
const digests = new WeakMap<PolicySet, Buffer>()

/**
 * Digest of the deciding organization's list of policies, if the API tier says that it has stored the list under this digest.
 * Empty: outcomes are written with ids. The API tier stores the list of a parent with the parent: logins that the parent decides
 * are stored elsewhere.
 */
export function heldPolicyList({
  deciding,
  organization,
  order: { policyList = NOTHING },
}: Pick<AuthenticatedRequest, "deciding" | "organization" | "order">): Uint8Array {
  if (policyList.length === 0 || deciding !== organization) return NOTHING
  const set = policiesOf(deciding)
  const digest = digests.get(set) ?? policyListDigest(set.policies.map(({ policyId }) => policyId))
  digests.set(set, digest)
  return digest.equals(policyList) ? digest : NOTHING
}

/** The outcomes of policies for a message: with their ids, or packed beside the digest of a list that the API tier has stored. */
export function writePolicyOutcomes(
  outcomes: readonly PolicyOutcome[],
  heldList: Uint8Array,
): Pick<Decision, "policyOutcomes" | "policyList" | "packedOutcomes"> {
  if (heldList.length > 0 && outcomes.length > 0) {
    const packedOutcomes = packOutcomes(outcomes.map(({ outcome }) => outcome))
    return { policyOutcomes: [], policyList: heldList, packedOutcomes }
  }
  const policyOutcomes = outcomes.map(({ policyId, outcome }) => {
    return { $typeName: "countersign.api.v1.PolicyOutcome", policyId, outcome } as const
  })
  return { policyOutcomes, policyList: NOTHING, packedOutcomes: NOTHING }
}
