import { generateKeyPairSync, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"

/** Redirect address that implicit clients must register; no test opens it. */
const REDIRECT_URI = "https://app.example/callback"

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** A real OpenID provider on the loopback; people log in by its own pages. */
export class OpenIdProvider {
  readonly issuer: string
  readonly #server: Server

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer
    this.#server = server
  }

  /** @param clientIds applications that may ask for tokens */
  static async start(t: Teardown, ...clientIds: string[]): Promise<OpenIdProvider> {
    const server = createServer()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
    // Silences the provider's warning about its development mode.
    const warn = console.warn
    console.warn = () => undefined
    const provider = new Provider(issuer, configuration(clientIds))
    console.warn = warn
    server.on("request", provider.callback())
    const started = new OpenIdProvider(issuer, server)
    t.teardown(() => started.stop())
    return started
  }

  /** Logs in as this person, with all redirects and forms, and returns the ID token. */
  async idToken(clientId: string, login: string, nonce = randomBytes(16).toString("hex")): Promise<string> {
    const visit = new Visit()
    const parameters = new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      response_type: "id_token",
      scope: "openid",
      nonce,
    })
    const loginPage = await visit.follow(`${this.issuer}/auth?${parameters}`)
    const consentPage = await visit.send(loginPage, { prompt: "login", login, password: "any" })
    const callback = await visit.send(consentPage, { prompt: "consent" })
    const token = new URLSearchParams(new URL(callback).hash.slice(1)).get("id_token")
    if (token === null) throw new Error(`the provider sends no token: ${callback}`)
    return token
  }

  /** Lets this process end while the provider runs. */
  unref(): void {
    this.#server.unref()
    this.#server.on("connection", (socket) => socket.unref())
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}

/** The part of a browser that a login needs. */
class Visit {
  readonly #cookies = new Map<string, string>()

  /** Follows redirects up to a page or the application's address. */
  async follow(url: string, init: RequestInit = {}): Promise<string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } })
    await response.arrayBuffer()
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";")[0]!.split("=")
      this.#cookies.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) return url
    const next = new URL(location, url).href
    return next.startsWith(REDIRECT_URI) ? next : this.follow(next)
  }

  /** Fills in the form of a page. */
  send(page: string, fields: { [name: string]: string }): Promise<string> {
    return this.follow(page, { method: "POST", body: new URLSearchParams(fields) })
  }
}

function configuration(clientIds: readonly string[]) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return {
    clients: clientIds.map((client_id) => ({
      client_id,
      redirect_uris: [REDIRECT_URI],
      response_types: ["id_token"],
      grant_types: ["implicit"],
      token_endpoint_auth_method: "none",
    })),
    jwks: {
      keys: [{ ...privateKey.export({ format: "jwk" }), kid: "of-this-run", use: "sig", alg: "RS256" }],
    },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    responseTypes: ["id_token"],
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600 },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
  }
}
