import type { Test } from "tap"
import { signParams, valueOf } from "../harness/api-client.ts"
import type { TestKey } from "../harness/stamper.ts"
import { asRoot, type Fixture, setup } from "./setup.ts"

export type Member = { userId: string; key: TestKey }

export type MemberFixture = Fixture & { dan: Member; eva: Member; fay: Member }

/** An organization of one root member, with three users whom only policies allow anything. */
export async function setupMembers(
  t: Test,
  settings: { [name: string]: string } = {},
): Promise<MemberFixture> {
  const base = await setup(t, settings)
  const { client, acme } = base
  const [dan, eva, fay] = [
    await client.user(acme, "dan"),
    await client.user(acme, "eva"),
    await client.user(acme, "fay"),
  ]
  return { ...base, dan, eva, fay }
}

export async function addPolicy(fixture: Fixture, policy: { [member: string]: string }): Promise<string> {
  const named = { policyName: JSON.stringify(policy), notes: "", ...policy }
  const outcome = await asRoot(fixture).submit("CREATE_POLICY_V3", named)
  return valueOf(outcome, "createPolicyResult").policyId
}

export const allow = (fixture: Fixture, parts: { [member: string]: string } = {}) =>
  addPolicy(fixture, { effect: "EFFECT_ALLOW", ...parts })

export const deny = (fixture: Fixture, parts: { [member: string]: string } = {}) =>
  addPolicy(fixture, { effect: "EFFECT_DENY", ...parts })

export function request({ client, acme, address }: Fixture, payload?: string): string {
  return client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address, payload))
}
