import { valueOf } from "../harness/api-client.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { velocityControl } from "../harness/velocity.ts"
import { pair } from "./replay-cases-users.ts"

type Make = (actors: Actors) => Promise<Omit<ReplayCase, "type">>

/** Activities on policies, session profiles and IP allowlists. */
export const policyReplayCases: { [type: string]: Make } = {
  CREATE_POLICY_V3: async () => ({ ...pair(policy), harm: "a right that was taken away is given again" }),
  CREATE_POLICIES: async () => ({
    ...pair((name) => ({ policies: [policy(name)] })),
    harm: "rights that were taken away are given again",
  }),
  UPDATE_POLICY: async (actors) => updates(actors),
  UPDATE_POLICY_V2: async (actors) => updates(actors),
  DELETE_POLICY: async (actors) => ({
    first: { policyId: await create(actors, "one") },
    second: { policyId: await create(actors, "two") },
    harm: "a policy is deleted twice",
  }),
  DELETE_POLICIES: async (actors) => ({
    first: { policyIds: [await create(actors, "one")] },
    second: { policyIds: [await create(actors, "two")] },
    harm: "policies are deleted twice",
  }),
  CREATE_SESSION_PROFILE: async () => ({
    ...pair((sessionProfileName) => ({ sessionProfileName, scope: "false" })),
    harm: "a second profile for one authorization",
  }),
  DELETE_SESSION_PROFILE: async (actors) => ({
    first: { sessionProfileId: await sessionProfile(actors, "one") },
    second: { sessionProfileId: await sessionProfile(actors, "two") },
    harm: "a profile is deleted twice",
  }),
  CREATE_VELOCITY_CONTROL: async () => ({
    ...pair((identifier) => velocityControl({ identifier: identifier.replaceAll(/\W/g, "_") })),
    harm: "a limit that was taken away is counted again",
  }),
  DELETE_VELOCITY_CONTROL: async (actors) => ({
    first: { velocityControlId: await control(actors, "one") },
    second: { velocityControlId: await control(actors, "two") },
    harm: "a control is deleted twice",
  }),
  SET_IP_ALLOWLIST: async () => ({
    first: { enabled: true, rules: [{ cidr: "192.0.2.0/24" }] },
    second: { enabled: true, rules: [{ cidr: "198.51.100.0/24" }] },
    harm: "requests come from where they were forbidden to come from",
  }),
  CREATE_MFA_POLICY: async ({ acme: { rootUserId } }) => ({
    ...pair((name) => mfaPolicy(rootUserId, name)),
    harm: "a demand that was taken away is made again",
  }),
  UPDATE_MFA_POLICY: async (actors) => {
    const place = { userId: actors.acme.rootUserId, mfaPolicyId: await demand(actors, "one") }
    return {
      first: { ...place, condition: "1 == 2" },
      second: { ...place, condition: "2 == 3" },
      harm: "a demand that was widened is narrowed again",
    }
  },
  DELETE_MFA_POLICY: async (actors) => {
    const { rootUserId: userId } = actors.acme
    return {
      first: { userId, mfaPolicyId: await demand(actors, "one") },
      second: { userId, mfaPolicyId: await demand(actors, "two") },
      harm: "a demand is deleted twice",
    }
  },
  REMOVE_IP_ALLOWLIST: async (actors) => allowlistRemovals(actors),
}

async function control({ fixture: { client }, acme }: Actors, identifier: string): Promise<string> {
  const type = "ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL"
  const outcome = await client.submit(acme.root, type, acme.organizationId, velocityControl({ identifier }))
  return valueOf(outcome, "createVelocityControlResult").velocityControlId
}

function policy(policyName: string) {
  return { policyName, effect: "EFFECT_ALLOW", condition: "false", notes: "" }
}

async function create({ fixture: { client }, acme }: Actors, name: string): Promise<string> {
  const type = "ACTIVITY_TYPE_CREATE_POLICY_V3"
  const outcome = await client.submit(acme.root, type, acme.organizationId, policy(name))
  return valueOf(outcome, "createPolicyResult").policyId
}

async function sessionProfile({ fixture: { client }, acme }: Actors, name: string): Promise<string> {
  const type = "ACTIVITY_TYPE_CREATE_SESSION_PROFILE"
  const parameters = { sessionProfileName: name, scope: "false" }
  const outcome = await client.submit(acme.root, type, acme.organizationId, parameters)
  return valueOf(outcome, "createSessionProfileResult").sessionProfileId
}

/** A condition that matches no activity. */
function mfaPolicy(userId: string, mfaPolicyName: string) {
  const requiredAuthenticationMethods = [{ any: [{ type: "AUTHENTICATION_TYPE_API_KEY" }] }]
  return { userId, mfaPolicyName, condition: "false", requiredAuthenticationMethods, order: 1 }
}

async function demand({ fixture: { client }, acme }: Actors, name: string): Promise<string> {
  const { root, organizationId, rootUserId } = acme
  const type = "ACTIVITY_TYPE_CREATE_MFA_POLICY"
  const outcome = await client.submit(root, type, organizationId, mfaPolicy(rootUserId, name))
  return valueOf(outcome, "createMfaPolicyResult").mfaPolicyId
}

/** Both lists exist; the first is set again between its removals. */
async function allowlistRemovals({ fixture: { client }, acme }: Actors): Promise<Omit<ReplayCase, "type">> {
  const publicKey = acme.root.publicKeyHex
  const set = (whose: object) =>
    client.submit(acme.root, "ACTIVITY_TYPE_SET_IP_ALLOWLIST", acme.organizationId, { rules: [], ...whose })
  await set({})
  return {
    first: {},
    second: async () => {
      await set({})
      await set({ publicKey })
      return { publicKey }
    },
    harm: "a list that was set again is gone again",
  }
}

async function updates(actors: Actors): Promise<Omit<ReplayCase, "type">> {
  const policyId = await create(actors, "wallets")
  return {
    first: { policyId, policyCondition: "1 == 1" },
    second: { policyId, policyCondition: "1 == 2" },
    harm: "a right that was taken back is as wide as before",
  }
}
