// Stand-ins for the APIs of MoonPay and Coinbase on the loopback. They check what they get as the providers document it.
import { createPublicKey, type KeyObject } from "node:crypto"
import type http from "node:http"
import { json as readJson } from "node:stream/consumers"
import { ed25519 } from "@noble/curves/ed25519.js"
import { p256 } from "@noble/curves/nist.js"
import type { OnRampProviders } from "../../signer/fetcher/on-ramp/provider.ts"
import { COINBASE_KEY_ID } from "./on-ramp.ts"
import { type WebServer, webServer } from "./web-server.ts"

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** A reply instead of the usual one. `cut`: the connection ends after this many bytes of the body. */
type Answer = { status?: number; body?: string; cut?: number; headers?: { [name: string]: string } }

type Session = { addresses: { address: string; blockchains: string[] }[]; assets: string[]; clientIp: string }

export class FakeProviders {
  /** Public key of Coinbase's secret API key. */
  coinbaseKey: KeyObject | undefined
  /** Sessions that were opened at Coinbase. */
  readonly sessions: Session[] = []
  /** Statuses of purchases, by their references, as each provider spells them. */
  readonly statuses = new Map<string, string[]>()
  /** Faults that a stand-in found in requests. */
  readonly faults: string[] = []
  /** The next replies, instead of the usual ones. */
  readonly next: Answer[] = []
  /** Awaited before each reply. */
  beforeReply: (() => Promise<void>) | undefined
  nowMs = () => Date.now()
  readonly #server: WebServer
  readonly #nonces = new Set<string>()

  private constructor(server: WebServer) {
    this.#server = server
  }

  static async open(t: Teardown): Promise<FakeProviders> {
    const server: WebServer = await webServer((request, response) => {
      void providers.#reply(request, response)
    })
    const providers = new FakeProviders(server)
    t.teardown(() => server.close())
    return providers
  }

  get host(): string {
    return `127.0.0.1:${this.#server.port}`
  }

  get asked(): string[] {
    return this.#server.asked
  }

  /** Origins for a fetcher that may reach them. */
  get origins(): OnRampProviders {
    const origin = { url: new URL(`http://${this.host}`), isLocal: true }
    return { moonPay: origin, coinbase: origin }
  }

  /** The same for the processes' environment. */
  get settings(): { [name: string]: string } {
    const url = `http://${this.host}`
    return { COUNTERSIGN_FETCHER_MOONPAY_URL: url, COUNTERSIGN_FETCHER_COINBASE_URL: url }
  }

  async #reply(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const usual = await this.#answer(request)
    await this.beforeReply?.()
    send(response, this.next.shift() ?? usual)
  }

  async #answer(request: http.IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? "", `http://${this.host}`)
    const [, moonPay] = /^\/v1\/transactions\/ext\/([0-9a-f-]{36})$/.exec(pathname) ?? []
    const [, coinbase] = /^\/onramp\/v1\/buy\/user\/([0-9a-f-]{36})\/transactions$/.exec(pathname) ?? []
    if (moonPay !== undefined) {
      if (!searchParams.get("apiKey")?.startsWith("pk_")) return this.#refuse(401, "no publishable key")
      if (request.headers.authorization !== undefined) this.faults.push("MoonPay got a secret")
      const statuses = this.statuses.get(moonPay)
      return statuses === undefined
        ? { status: 404 }
        : { body: JSON.stringify(statuses.map((status) => ({ status }))) }
    }
    const fault = this.#tokenFault(request, `${request.method} ${this.host}${pathname}`)
    if (fault !== undefined) return this.#refuse(401, fault)
    if (coinbase !== undefined) {
      const transactions = (this.statuses.get(coinbase) ?? []).map((status) => ({ status }))
      return { body: JSON.stringify({ transactions, next_page_key: "", total_count: transactions.length }) }
    }
    if (request.method !== "POST" || pathname !== "/onramp/v1/token") return this.#refuse(404, pathname)
    const session = (await readJson(request)) as Session
    this.sessions.push(session)
    return { body: JSON.stringify({ token: `session/${this.sessions.length}==`, channel_id: "" }) }
  }

  #refuse(status: number, fault: string): Answer {
    this.faults.push(fault)
    return { status, body: JSON.stringify({ errorType: "refused", authorization: "as it was sent" }) }
  }

  /** Verifies the bearer token with noble, as https://docs.cdp.coinbase.com/api-reference/v2/authentication says. */
  #tokenFault({ headers }: http.IncomingMessage, resource: string): string | undefined {
    const [head = "", body = "", signature = ""] = (headers.authorization ?? "")
      .replace(/^Bearer /, "")
      .split(".")
    const part = (text: string) =>
      JSON.parse(Buffer.from(text, "base64url").toString()) as { [name: string]: unknown }
    const [header, claims] = [part(head), part(body)]
    const nonce = String(header["nonce"])
    const now = this.nowMs() / 1000
    if (header["kid"] !== COINBASE_KEY_ID || header["typ"] !== "JWT") return "header"
    if (this.#nonces.has(nonce) || !/^[0-9a-f]{32}$/.test(nonce)) return "nonce"
    this.#nonces.add(nonce)
    if (claims["sub"] !== COINBASE_KEY_ID || claims["iss"] !== "cdp") return "claims"
    if (JSON.stringify(claims["uris"]) !== JSON.stringify([resource]))
      return `uris: ${String(claims["uris"])}`
    const [from, until] = [Number(claims["nbf"]), Number(claims["exp"])]
    if (until - from > 120 || from > now + 60 || until < now - 60) return "times"
    const signed = Buffer.from(`${head}.${body}`)
    return this.#isSigned(String(header["alg"]), signed, Buffer.from(signature, "base64url"))
      ? undefined
      : "signature"
  }

  #isSigned(algorithm: string, signed: Uint8Array, signature: Uint8Array): boolean {
    if (this.coinbaseKey === undefined) return false
    const { x = "", y = "" } = createPublicKey(
      this.coinbaseKey.export({ format: "pem", type: "spki" }),
    ).export({
      format: "jwk",
    })
    const [first, second] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]
    if (algorithm === "EdDSA") return ed25519.verify(signature, signed, first)
    return p256.verify(signature, signed, Buffer.concat([Buffer.of(4), first, second]), { lowS: false })
  }
}

function send(response: http.ServerResponse, { status = 200, body = "", cut, headers = {} }: Answer): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers })
  if (cut === undefined) response.end(body)
  else response.write(body.slice(0, cut), () => response.destroy())
}
