import { generateKeyPairSync, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Provider } from "oidc-provider"
import { loginForm } from "./issuer-page.ts"

/** The page's id at the issuer: the audience of its ID tokens. */
export const CLIENT_ID = "example"

/**
 * A local OpenID provider, a certified implementation: a person who types a name is logged in as it. Returns its issuer. Its
 * keys are new at every start; the name alone identifies a person.
 */
export async function startIssuer(port: number, redirectUri: string): Promise<string> {
  const issuer = `http://localhost:${port}`
  const provider = quietly(() => new Provider(issuer, configurationOf(redirectUri)))
  const answer = provider.callback()
  const server = createServer((request, response) => {
    const [, uid] = /^\/interaction\/([\w-]+)$/.exec(request.url ?? "") ?? []
    if (uid === undefined) return answer(request, response)
    interact(provider, request, response).catch(() => response.writeHead(400).end("begin again"))
  })
  server.listen(port, "localhost")
  await once(server, "listening")
  return issuer
}

/** Shows the form, and takes the name that was typed. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { uid } = await provider.interactionDetails(request, response)
  if (request.method !== "POST") {
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    })
    return response.end(await loginForm(uid))
  }
  const accountId = new URLSearchParams(await text(request)).get("name") ?? ""
  // Applications of this kind need a consent each time; the form is it.
  return provider.interactionFinished(request, response, { login: { accountId }, consent: {} })
}

function configurationOf(redirectUri: string) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const kid = randomBytes(8).toString("hex")
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        // A native client: a web client must be redirected to https.
        application_type: "native",
        redirect_uris: [redirectUri],
        response_types: ["id_token"],
        grant_types: ["implicit"],
        token_endpoint_auth_method: "none",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    responseTypes: ["id_token"],
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600 },
    findAccount,
    loadExistingGrant: grantScope,
  }
}

function findAccount(_context: unknown, accountId: string) {
  return { accountId, claims: () => ({ sub: accountId }) }
}

/** Grants scope openid without a page of consent: the client learns the user's subject. */
async function grantScope({ oidc }: GrantContext) {
  const grant = new oidc.provider.Grant({
    clientId: oidc.client.clientId,
    accountId: oidc.session.accountId,
  })
  grant.addOIDCScope("openid")
  await grant.save()
  return grant
}

type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
type GrantContext = {
  oidc: {
    provider: { Grant: new (members: { clientId: string; accountId: string }) => Grant }
    client: { clientId: string }
    session: { accountId: string }
  }
}

/** Silences the provider's warning about plain HTTP. */
function quietly<Result>(make: () => Result): Result {
  const { warn } = console
  console.warn = () => undefined
  try {
    return make()
  } finally {
    console.warn = warn
  }
}
