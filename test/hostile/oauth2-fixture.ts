import { randomBytes } from "node:crypto"
import { type Tenant, valueOf } from "../harness/api-client.ts"
import { nonceOf } from "../harness/attested.ts"
import { FakeOauth2Providers } from "../harness/oauth2-providers.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { asRoot, type Fixture, setup } from "./setup.ts"

export const REDIRECT_URI = "https://app.example/done?from=provider"
export const OAUTH2_AUTHENTICATE = "OAUTH2_AUTHENTICATE"
const SECRET = "s3cret & more: +%"

/** X's user as its API shows one, and Discord's. */
export const xUser = (id: string) => ({ data: { id, name: "Ann", username: "ann" } })
export const discordUser = (id: string, changes: object = {}) => ({ id, username: "ann", ...changes })

/** An organization with a credential of a provider, and codes of people who agreed there. */
export async function oauth2Application(
  { fakeFetcher, boundary, client }: Fixture,
  acme: Tenant,
  provider: "X" | "DISCORD" = "X",
) {
  const isNew = fakeFetcher.oauth2 === undefined
  const providers = (fakeFetcher.oauth2 ??= await FakeOauth2Providers.open())
  if (isNew) fakeFetcher.obey(boundary)
  const clientId = `client-${randomBytes(4).toString("hex")}`
  providers.secrets.set(clientId, SECRET)
  const encryptedClientSecret = await fakeFetcher.sealClientSecret(SECRET)
  const credential = { provider: `OAUTH2_PROVIDER_${provider}`, clientId, encryptedClientSecret }
  const made = await asRoot({ client, acme }).submit("CREATE_OAUTH2_CREDENTIAL", credential)
  const { oauth2CredentialId } = valueOf(made, "createOauth2CredentialResult")
  /** A code with the parameters that exchange it for a token for this key. */
  const code = ({ user = xUser("42"), key = newKey() }: { user?: object; key?: TestKey } = {}) => {
    const verifier = randomBytes(32).toString("base64url")
    const asked = { clientId, redirectUri: REDIRECT_URI, verifier, user }
    const authCode = providers.authorize(asked)
    const redirectUri = REDIRECT_URI
    const nonce = nonceOf(key)
    const parameters = { oauth2CredentialId, authCode, redirectUri, codeVerifier: verifier, nonce }
    return { key, parameters }
  }
  return { providers, clientId, oauth2CredentialId, encryptedClientSecret, code }
}

/** The claims of a token. */
export function claimsIn(token: string): { [claim: string]: unknown } {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    [claim: string]: unknown
  }
}

/** A sub-organization whose root user has these identities alone. */
export function childWith({ client, acme }: Fixture, oidcToken: string) {
  const oauthProviders = [{ providerName: "x", oidcToken }]
  const rootUsers = [{ userName: "ann", apiKeys: [], authenticators: [], oauthProviders }]
  return child(client, acme, { rootUsers })
}

/** An organization with a credential, and requests that exchange codes. */
export async function shop(t: Parameters<typeof setup>[0], provider?: "DISCORD") {
  const fixture = await setup(t)
  const application = await oauth2Application(fixture, fixture.acme, provider)
  const root = asRoot(fixture)
  const exchange = async (parameters: object): Promise<string> => {
    fixture.boundary.clock.pass(1)
    return valueOf(await root.submit(OAUTH2_AUTHENTICATE, parameters), "oauth2AuthenticateResult").oidcToken
  }
  const attempt = (parameters: object) => {
    fixture.boundary.clock.pass(1)
    return root.attempt(OAUTH2_AUTHENTICATE, parameters)
  }
  return { fixture, ...application, exchange, attempt }
}
