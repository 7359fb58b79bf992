import { newKey, type TestKey } from "../harness/stamper.ts"
import { AttestedKey, nonceOf } from "../harness/attested.ts"
import { child } from "../harness/sub-organization.ts"
import type { Fixture } from "./setup.ts"

/** A sub-organization whose root user has an OIDC identity and, with `key`, a key. */
export function identityChild({ client, acme, fakeFetcher }: Fixture, sub = "alice", key?: TestKey) {
  const apiKeys = key
    ? [{ apiKeyName: "key", publicKey: key.publicKeyHex, curveType: "API_KEY_CURVE_P256" }]
    : []
  const oauthProviders = [{ providerName: "idp", oidcToken: fakeFetcher.token({ sub }) }]
  const rootUsers = [{ userName: "root", apiKeys, authenticators: [], oauthProviders }]
  return child(client, acme, { rootUsers, ...(key && { key }) })
}

/** A new key that a token of the issuer attests. */
export function attestedKey({ fakeFetcher }: Fixture, changes: object = {}): AttestedKey {
  const key = newKey()
  return new AttestedKey(key, fakeFetcher.token({ sub: "alice", nonce: nonceOf(key), ...changes }))
}

/** Parameters of oauth_login for a key and a token. */
export const oauthParams = ({ key, token }: AttestedKey, others: object = {}) => ({
  oidcToken: token,
  publicKey: key.publicKeyHex,
  ...others,
})

/** A user of the parent whom a policy allows to ask for logins of others. */
export async function loginServer({ client, acme }: Fixture, type = "ACTIVITY_TYPE_OAUTH_LOGIN") {
  const user = await client.user(acme, `login server ${type}`)
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", acme.organizationId, {
    policyName: `logins ${type}`,
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${user.userId}')`,
    condition: `activity.type == '${type}'`,
    notes: "",
  })
  return user
}

/** The claims of a session token. */
export function claimsOfSession(token: string): { [claim: string]: unknown } {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
}
