// Stand-ins for the APIs of X and Discord on the loopback. They check what they get as RFC 6749, RFC 7636 and the
// providers' documentation say.
import { createHash, randomBytes } from "node:crypto"
import type http from "node:http"
import { text as readText } from "node:stream/consumers"
import type { Oauth2Origins } from "../../signer/fetcher/oauth2/providers.ts"
import { type WebServer, webServer } from "./web-server.ts"

/** A reply instead of the usual one. `cut`: the connection ends after this many bytes of the body. */
type Answer = { status?: number; body?: string; cut?: number; headers?: { [name: string]: string } }

/** Parameters with which a browser asks for a code. */
export type Authorization = { clientId: string; redirectUri: string; verifier: string; user: object }

const TOKEN_PATHS = ["/2/oauth2/token", "/api/oauth2/token"]
const USER_PATHS = ["/2/users/me", "/api/users/@me"]

export class FakeOauth2Providers {
  /** Client secrets, by client id. */
  readonly secrets = new Map<string, string>()
  /** Faults that a stand-in found in requests. */
  readonly faults: string[] = []
  /** Access tokens that were issued. */
  readonly accessTokens: string[] = []
  /** The next replies, instead of the usual ones; undefined: the usual one. */
  readonly next: (Answer | undefined)[] = []
  readonly #server: WebServer
  readonly #codes = new Map<string, Authorization>()
  readonly #users = new Map<string, object>()

  private constructor(server: WebServer) {
    this.#server = server
  }

  /** The caller closes it. */
  static async open(): Promise<FakeOauth2Providers> {
    const server: WebServer = await webServer((request, response) => {
      void providers.#answer(request).then((answer) => send(response, providers.next.shift() ?? answer))
    })
    const providers = new FakeOauth2Providers(server)
    return providers
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** Requested paths. */
  get asked(): string[] {
    return this.#server.asked
  }

  /** Origins for a fetcher that may reach them. */
  get origins(): Oauth2Origins {
    const origin = { url: new URL(this.url), isLocal: true }
    return { x: origin, discord: origin }
  }

  /** The same for the processes' environment. */
  get settings(): { [name: string]: string } {
    return { COUNTERSIGN_FETCHER_X_URL: this.url, COUNTERSIGN_FETCHER_DISCORD_URL: this.url }
  }

  /** The code that a browser gets once its user has agreed. */
  authorize(authorization: Authorization): string {
    const code = randomBytes(24).toString("base64url")
    this.#codes.set(code, authorization)
    return code
  }

  async #answer(request: http.IncomingMessage): Promise<Answer> {
    const { method, headers } = request
    const path = request.url ?? ""
    if (USER_PATHS.includes(path)) return this.#user(method, headers.authorization)
    if (method !== "POST" || !TOKEN_PATHS.includes(path)) return this.#refuse(404, "not_found", path)
    const form = new URLSearchParams(await readText(request))
    if (headers["content-type"] !== "application/x-www-form-urlencoded")
      return this.#refuse(400, "invalid_request", "content type")
    return this.#token(form, headers.authorization)
  }

  #token(form: URLSearchParams, authorization = ""): Answer {
    const [clientId = "", secret = ""] = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
      .toString()
      .split(":")
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")))
    if (this.secrets.get(clientId) !== secret) return this.#refuse(401, "invalid_client", clientId)
    if (form.get("grant_type") !== "authorization_code")
      return this.#refuse(400, "unsupported_grant_type", "grant")
    const code = form.get("code") ?? ""
    const asked = this.#codes.get(code)
    // RFC 6749 section 4.1.2: a code is used once, also by who may not use it.
    this.#codes.delete(code)
    if (asked === undefined || asked.clientId !== clientId) return this.#refuse(400, "invalid_grant", "code")
    if (form.get("redirect_uri") !== asked.redirectUri)
      return this.#refuse(400, "invalid_grant", "redirect URI")
    if (challenge(form.get("code_verifier") ?? "") !== challenge(asked.verifier))
      return this.#refuse(400, "invalid_grant", "verifier")
    const accessToken = randomBytes(24).toString("base64url")
    this.accessTokens.push(accessToken)
    this.#users.set(accessToken, asked.user)
    return { body: JSON.stringify({ token_type: "bearer", expires_in: 7200, access_token: accessToken }) }
  }

  #user(method: string | undefined, authorization = ""): Answer {
    const user = this.#users.get(authorization.replace(/^Bearer /, ""))
    if (method !== "GET" || user === undefined) return this.#refuse(401, "Unauthorized", "user")
    return { body: JSON.stringify(user) }
  }

  #refuse(status: number, error: string, fault: string): Answer {
    this.faults.push(fault)
    return { status, body: JSON.stringify({ error, error_description: "as it was sent: top secret" }) }
  }
}

/** RFC 7636 section 4.2. */
function challenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url")
}

function send(response: http.ServerResponse, { status = 200, body = "", cut, headers = {} }: Answer): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers })
  if (cut === undefined) response.end(body)
  else response.write(body.slice(0, cut), () => response.destroy())
}
