import type { Test } from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { signParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { fingerprintOf, type Stamper, type TestKey } from "../harness/stamper.ts"
import { asRoot, type Fixture, setup } from "./setup.ts"

export const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

export const PASSKEY = { type: "AUTHENTICATION_TYPE_PASSKEY" }

export const SESSION = { type: "AUTHENTICATION_TYPE_SESSION" }

export const API_KEY = { type: "AUTHENTICATION_TYPE_API_KEY" }

export type Member = { userId: string; key: TestKey }

export type MemberFixture = Fixture & { dan: Member; eva: Member }

/** A policy allows dan and eva every activity; each stamps with an API key. */
export async function setupMembers(t: Test): Promise<MemberFixture> {
  const fixture = await setup(t)
  const [dan, eva] = [
    await fixture.client.user(fixture.acme, "dan"),
    await fixture.client.user(fixture.acme, "eva"),
  ]
  await allow(fixture)
  return { ...fixture, dan, eva }
}

export async function allow(fixture: Fixture, parts: object = {}): Promise<void> {
  const policy = { policyName: JSON.stringify(parts), effect: "EFFECT_ALLOW", notes: "", ...parts }
  await asRoot(fixture).submit("CREATE_POLICY_V3", policy)
}

/** Registers a passkey of the user's. */
export async function givePasskey(fixture: Fixture, userId: string): Promise<Passkey> {
  const passkey = new Passkey()
  await asRoot(fixture).submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [passkey.create()] })
  return passkey
}

/** Creates an MFA policy that requires all of these methods, each from a different credential. */
export async function demand(
  fixture: Fixture,
  userId: string,
  steps: object[],
  parts: object = {},
): Promise<string> {
  const outcome = await asRoot(fixture).submit("CREATE_MFA_POLICY", {
    userId,
    mfaPolicyName: JSON.stringify(parts),
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: steps.map((method) => ({ any: [method] })),
    order: 0,
    ...parts,
  })
  return valueOf(outcome, "createMfaPolicyResult").mfaPolicyId
}

export const request = ({ client, acme, address }: Fixture) =>
  client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))

export function voteOn({ client, acme }: Fixture, body: string, type = "APPROVE"): string {
  const fingerprint = `sha256:${fingerprintOf(body)}`
  return client.body(`ACTIVITY_TYPE_${type}_ACTIVITY`, acme.organizationId, { fingerprint })
}

export async function outcomeOf({ client }: Fixture, body: string, key: Stamper) {
  const answer = await client.send(body, key)
  if (answer.is !== "outcome") throw new Error(`no outcome: ${JSON.stringify(answer)}`)
  return answer.outcome
}
