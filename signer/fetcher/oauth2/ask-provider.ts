import { isJsonObject } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../../core/refusal.ts"
import { askProviderApi, type ProviderOrigin, readJsonReply } from "../ask-provider.ts"
import { type RequestFaultReason, isTemporary, type HttpReply, type RequestFault } from "../http-request.ts"
import type { Network } from "../network.ts"
import type { ProviderApi } from "./providers.ts"

/** A request to a provider. Without a body it is a GET. */
type ProviderRequest<T> = {
  api: ProviderApi
  origin: ProviderOrigin
  path: string
  authorization: string
  /** Form members, encoded. */
  body?: string
  /** Undefined: the reply is not what the provider documents. */
  read: (reply: unknown) => T | undefined
}

/** Time for each of the two requests: the API gives an activity ten seconds. */
const DEADLINE_MS = 4_000

/**
 * Asks a provider. Only the standard's error codes of its refusals are passed on: other text could repeat what was sent.
 *
 * @throws OAUTH2_REFUSED for a reply that repeating would not change; OAUTH2_UNAVAILABLE
 */
export async function askProvider<T>(
  request: ProviderRequest<T>,
  network: Network,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const { api, origin, path, authorization, body } = request
  const form = body !== undefined && { body, contentType: "application/x-www-form-urlencoded" }
  const answers = {
    read: (reply: HttpReply) => readReply(reply, request),
    fault: (fault: RequestFaultReason, why: string, cause: RequestFault) =>
      fault === "too-large" ? unusable(api) : unavailable(api, why, cause),
  }
  return askProviderApi({ origin, path, authorization, deadlineMs, ...form }, answers, network)
}

async function readReply<T>(reply: HttpReply, { api, read }: ProviderRequest<T>): Promise<T> {
  const { status } = reply
  if (isTemporary(status)) throw unavailable(api, `answers with status ${status}`)
  const answer = await readJsonReply(reply)
  if (status !== 200) throw refused(api, status, answer)
  const value = read(answer)
  if (value === undefined) throw unusable(api)
  return value
}

/** Characters of a token in a header (RFC 6750 section 2.1). */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]{1,4096}=*$/

/** The access token of a token reply (RFC 6749 section 5.1). */
export function readAccessToken(reply: unknown): string | undefined {
  if (!isJsonObject(reply)) return undefined
  const { access_token: token, token_type: type } = reply
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer"
  return isBearer && typeof token === "string" && BEARER_TOKEN.test(token) ? token : undefined
}

/** Error codes of token replies (RFC 6749 section 5.2) with what to do. */
const ERRORS: ReadonlyMap<unknown, string> = new Map([
  ["invalid_request", "its request was malformed"],
  ["invalid_client", "the client id or secret is wrong: correct the OAuth 2.0 credential"],
  [
    "invalid_grant",
    "the code, its redirect URI or its verifier is wrong, or the code was used: log in there again",
  ],
  ["unauthorized_client", "the application may not use codes: correct its settings there"],
  ["unsupported_grant_type", "the application may not use codes: correct its settings there"],
])

function refused({ name }: ProviderApi, status: number, reply: unknown): Refusal {
  const code = isJsonObject(reply) ? reply["error"] : undefined
  const known = ERRORS.get(code)
  const why = known === undefined ? "log in there again" : `${String(code)}, ${known}`
  return refuse("OAUTH2_REFUSED", `${name} refuses the login with status ${status}: ${why}`)
}

/** The code is used up, so repeating the request would not help. */
export function unusable({ name }: ProviderApi): Refusal {
  const sentence = `${name} gives an answer that names no user: log in there again`
  return refuse("OAUTH2_REFUSED", sentence)
}

function unavailable({ name }: ProviderApi, why: string, cause?: unknown): Refusal {
  return refuse("OAUTH2_UNAVAILABLE", `${name} ${why}; send the same body again`, { cause })
}
