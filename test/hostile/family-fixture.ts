import { outcomeOf } from "../harness/api-client.ts"
import type { Passkey } from "../harness/authenticator.ts"
import { newKey, type Stamper } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import type { Fixture } from "./setup.ts"

export const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
export const SECOND_MS = 1000

/** Body of a login that names the parent. */
export function loginBody({ client, acme, boundary }: Fixture, timestampMs = boundary.nowMs()): string {
  return client.body(LOGIN, acme.organizationId, { publicKey: newKey().publicKeyHex }, timestampMs)
}

/** The id of the organization that a login stamped now enters. */
export async function homeOf(fixture: Fixture, by: Stamper): Promise<string> {
  return outcomeOf(await fixture.client.send(loginBody(fixture), by)).organizationId
}

/** A sub-organization whose root user has these credentials. */
export function created(
  { client, acme }: Fixture,
  { apiKeys = [], passkeys = [] }: { apiKeys?: object[]; passkeys?: Passkey[] },
) {
  const authenticators = passkeys.map((passkey) => passkey.create())
  const rootUsers = [{ userName: "root", apiKeys, authenticators, oauthProviders: [] }]
  return child(client, acme, { rootUsers, wallet: undefined })
}
