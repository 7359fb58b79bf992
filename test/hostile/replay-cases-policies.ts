import { valueOf } from "../harness/api-seat.ts"
import type { Cast, ReplayCase } from "./replay-cases.ts"
import { pair } from "./replay-cases-users.ts"

type Make = (cast: Cast) => Promise<Omit<ReplayCase, "type">>

/** Policies: who may do what. */
export const policyReplayCases: { [type: string]: Make } = {
  CREATE_POLICY_V3: async () => ({ ...pair(policy), harm: "a right that was taken away is given again" }),
  CREATE_POLICIES: async () => ({
    ...pair((name) => ({ policies: [policy(name)] })),
    harm: "rights that were taken away are given again",
  }),
  UPDATE_POLICY: async (cast) => updates(cast),
  UPDATE_POLICY_V2: async (cast) => updates(cast),
  DELETE_POLICY: async (cast) => ({
    first: { policyId: await create(cast, "one") },
    second: { policyId: await create(cast, "two") },
    harm: "a policy is deleted twice",
  }),
  DELETE_POLICIES: async (cast) => ({
    first: { policyIds: [await create(cast, "one")] },
    second: { policyIds: [await create(cast, "two")] },
    harm: "policies are deleted twice",
  }),
}

function policy(policyName: string) {
  return { policyName, effect: "EFFECT_ALLOW", condition: "false", notes: "" }
}

async function create({ scene: { seat }, acme }: Cast, name: string): Promise<string> {
  const type = "ACTIVITY_TYPE_CREATE_POLICY_V3"
  const outcome = await seat.submit(acme.root, type, acme.organizationId, policy(name))
  return valueOf(outcome, "createPolicyResult").policyId
}

async function updates(cast: Cast): Promise<Omit<ReplayCase, "type">> {
  const policyId = await create(cast, "wallets")
  return {
    first: { policyId, policyCondition: "1 == 1" },
    second: { policyId, policyCondition: "1 == 2" },
    harm: "a right that was taken back is as wide as before",
  }
}
