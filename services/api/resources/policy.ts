import type { MessageInitShape } from "@bufbuild/protobuf"
import type { MfaPolicySchema, PolicySchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { MfaPolicy, Policy, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { timestamps } from "./time.ts"

/** An absent condition or consensus is shown as "", an absent time is left out. */
export function policyResource(policy: Policy): MessageInitShape<typeof PolicySchema> {
  const { policyId, name: policyName, effect, notes, condition = "", consensus = "", time } = policy
  return {
    policyId,
    policyName,
    effect,
    ...timestamps(policy),
    notes,
    consensus,
    condition,
    ...(time === undefined ? {} : { time }),
  }
}

export function mfaPolicyResource(policy: MfaPolicy): MessageInitShape<typeof MfaPolicySchema> {
  const { mfaPolicyId, name: mfaPolicyName, condition, steps, order, notes } = policy
  return {
    mfaPolicyId,
    mfaPolicyName,
    condition,
    requiredAuthenticationMethods: steps.map(({ any }) => ({
      any: any.map(({ type, id }) => (id === "" ? { type } : { type, id })),
    })),
    order,
    ...(notes === undefined ? {} : { notes }),
    ...timestamps(policy),
  }
}

/** A user's MFA policies in their order of evaluation. */
export function mfaPoliciesOf(user: Pick<User, "mfaPolicies">): MfaPolicy[] {
  return user.mfaPolicies.toSorted((a, b) => a.order - b.order)
}
