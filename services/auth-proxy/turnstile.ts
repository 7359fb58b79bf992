import { readFileSync, statSync } from "node:fs"
import { FAULT, StartError } from "../../signer/core/settings/start-fault.ts"
import type { Logger } from "../common/logger.ts"

/** `unreachable`: the provider gave no answer, an undocumented one, or one about another token. */
export type CaptchaResult = "passed" | "failed" | "unreachable"

export type TurnstileOptions = {
  siteKey: string
  secret: string
  /** Address of siteverify: the only one that is asked. */
  url: string
  log: Pick<Logger, "error">
  timeoutMs?: number
}

const TIMEOUT_MS = 5_000

/** Longest token, and largest reply that is read, as Cloudflare documents the one and far exceeds the other. */
const MAX_TOKEN_LENGTH = 2048
const MAX_REPLY_BYTES = 16 * 1024

/** Error codes of siteverify that are about the token; all others are about the provider or its secret. */
const TOKEN_FAULTS = ["invalid-input-response", "missing-input-response", "timeout-or-duplicate"]

/** Cloudflare Turnstile, and providers with the same siteverify protocol: the request is a form, the reply JSON. */
export class Turnstile {
  readonly siteKey: string
  readonly #options: TurnstileOptions

  constructor(options: TurnstileOptions) {
    this.siteKey = options.siteKey
    this.#options = options
  }

  /** Asks whether the token is of a captcha that was passed; the provider takes it once. `address`: the caller's. */
  async verify(token: string, address: string | undefined): Promise<CaptchaResult> {
    if (token.length > MAX_TOKEN_LENGTH) return "failed"
    const { secret, log } = this.#options
    const form = new URLSearchParams({ secret, response: token, ...(address && { remoteip: address }) })
    try {
      const reply = await this.#ask(form)
      const { success, "error-codes": codes } = reply as { success?: unknown; "error-codes"?: unknown }
      if (success === true) return "passed"
      const faults = Array.isArray(codes) ? codes.map(String) : []
      if (faults.length > 0 && faults.every((code) => TOKEN_FAULTS.includes(code))) return "failed"
      log.error({ codes: faults }, "the captcha provider verifies nothing: check its secret")
    } catch (error) {
      log.error({ err: error }, "the captcha provider did not answer")
    }
    return "unreachable"
  }

  async #ask(form: URLSearchParams): Promise<object> {
    const { url, timeoutMs = TIMEOUT_MS } = this.#options
    const signal = AbortSignal.timeout(timeoutMs)
    const reply = await fetch(url, { method: "POST", body: form, redirect: "error", signal })
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of reply.body ?? []) {
      length += chunk.length
      if (length > MAX_REPLY_BYTES) throw new Error("the reply is too long")
      chunks.push(chunk)
    }
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof value === "object" && value !== null) return value
    throw new Error("the reply is no JSON object")
  }
}

/** The secret in a file. @throws {StartError} for a file that other users can read, or an empty one */
export function readCaptchaSecret(file: string): string {
  if ((statSync(file).mode & 0o077) !== 0)
    throw new StartError(FAULT, `${file} is accessible to other users: set its mode to 0600`)
  const secret = readFileSync(file, "utf8").trim()
  if (secret !== "") return secret
  throw new StartError(FAULT, `${file} holds no secret`)
}

/** A captcha provider, and what holds while it cannot be reached. */
export type Captcha = { turnstile: Pick<Turnstile, "siteKey" | "verify">; allowsUnreachable: boolean }
