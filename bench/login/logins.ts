import { createPrivateKey, sign } from "node:crypto"
import { Agent, request } from "node:http"
import { newStampKey } from "../suborgs/documents.ts"
import { quantile } from "../spread.ts"
import type { LoginCustomer } from "./customers.ts"
import type { LocalIssuer } from "./issuer.ts"
import type { Outbox } from "./outbox.ts"

export type Way = "otp" | "oidc"

/** Logins of one window, from a browser's first request to the session: a second, and milliseconds of one. */
export type LoginRate = { perSecond: number; p50Ms: number; p99Ms: number }

export type LoginParts = { proxyUrl: string; configId: string; issuer: LocalIssuer; outbox: Outbox }

type Members = { [member: string]: string }

/** Logs customers in through the auth proxy, each with a new session key. */
export class Logins {
  readonly #parts: LoginParts
  readonly #customers: readonly LoginCustomer[]
  readonly #agent = new Agent({ keepAlive: true })
  #next = 0

  constructor(parts: LoginParts, customers: readonly LoginCustomer[]) {
    this.#parts = parts
    this.#customers = customers
  }

  /** Logs in over so many connections for so long. @throws Error for a login without a session */
  async measure(
    way: Way,
    { seconds, connections }: { seconds: number; connections: number },
  ): Promise<LoginRate & { count: number }> {
    const begin = performance.now()
    const end = begin + seconds * 1000
    const times: number[] = []
    const lane = async () => {
      while (performance.now() < end) {
        const startMs = performance.now()
        await this.logIn(way)
        times.push(performance.now() - startMs)
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
    const sorted = new Float64Array(times).toSorted()
    const perSecond = (times.length * 1000) / (performance.now() - begin)
    const count = times.length
    return { count, perSecond, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
  }

  /** The next customer's login, in turn. Returns the session token. */
  async logIn(way: Way): Promise<string> {
    const customer = this.#customers[this.#next++ % this.#customers.length]
    if (customer === undefined) throw new Error("there are no customers")
    const { session } = way === "otp" ? await this.#byCode(customer) : await this.#byToken(customer)
    if (session === undefined) throw new Error("the login has no session")
    return session
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Asks for a code, verifies it for the session key, and logs in with the token that this gives. */
  async #byCode({ contact, organizationId }: LoginCustomer): Promise<Members> {
    const { publicKeyHex: publicKey, privateKeyPem } = newStampKey()
    const { otpId } = await this.#post("otp_init", { otpType: "OTP_TYPE_EMAIL", contact })
    const code = { otpId, otpCode: this.#parts.outbox.codeOf(contact), public_key: publicKey }
    const { verificationToken = "" } = await this.#post("otp_verify", code)
    const signature = sign("sha256", Buffer.from(verificationToken), createPrivateKey(privateKeyPem))
    const login = {
      verificationToken,
      publicKey,
      organizationId,
      client_signature: signature.toString("hex"),
    }
    return this.#post("otp_login", login)
  }

  #byToken({ subject, organizationId }: LoginCustomer): Promise<Members> {
    const { publicKeyHex: publicKey } = newStampKey()
    const oidcToken = this.#parts.issuer.token(subject, publicKey)
    return this.#post("oauth_login", { oidcToken, publicKey, organizationId })
  }

  #post(operation: string, members: object): Promise<Members> {
    const body = JSON.stringify(members)
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-auth-proxy-config-id": this.#parts.configId,
      origin: "https://app.bench.example",
    }
    const url = `${this.#parts.proxyUrl}/v1/${operation}`
    return new Promise((resolve, reject) => {
      const call = request(url, { method: "POST", headers, agent: this.#agent }, (reply) => {
        const chunks: Buffer[] = []
        reply.on("data", (chunk: Buffer) => chunks.push(chunk))
        reply.once("error", reject)
        reply.once("end", () => {
          const text = Buffer.concat(chunks).toString()
          if (reply.statusCode === 200) resolve(JSON.parse(text) as Members)
          else reject(new Error(`${operation} answered ${reply.statusCode}: ${text}`))
        })
      })
      call.once("error", reject)
      call.end(body)
    })
  }
}
