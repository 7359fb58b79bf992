// Requests to the public API. Every change is an activity with a stamp of the logged-in user's credential.
import type { JsonMembers } from "../../../proto/strict-json.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { loadConfig } from "./config.ts"
import { sha256Hex } from "./encoding.ts"
import { stampByKey, stampByPasskey } from "./keys.ts"
import { forgetLogin, type Login, requireLogin } from "./login.ts"

/** A refusal of the API, or no answer at all. */
export class ApiFault extends Error {
  /** Code of the closed list of docs/ERRORS.md; "": none. */
  readonly reason: string
  /** Path of the member at fault; "": none. */
  readonly field: string
  readonly requestId: string
  readonly status: number
  readonly details: readonly JsonMembers[]

  constructor(
    message: string,
    known: Partial<Pick<ApiFault, "reason" | "field" | "requestId" | "status" | "details">>,
  ) {
    super(message)
    this.name = "ApiFault"
    this.reason = known.reason ?? ""
    this.field = known.field ?? ""
    this.requestId = known.requestId ?? ""
    this.status = known.status ?? 0
    this.details = known.details ?? []
  }
}

/** Ends of a credential: the page asks to log in again. */
const ENDED = new Set([
  "CREDENTIAL_UNKNOWN",
  "CREDENTIAL_EXPIRED",
  "READ_ONLY_SESSION_EXPIRED",
  "READ_ONLY_SESSION_ENDED",
  "READ_ONLY_SESSION_INVALID",
])

/** A query by its path. @throws {ApiFault} */
export async function query<Reply>(path: string, body: object = {}): Promise<Reply> {
  const login = requireLogin()
  const text = JSON.stringify({ organizationId: login.organizationId, ...body })
  try {
    return await send<Reply>(`/public/v1/query/${path}`, text, await readHeaders(login, text))
  } catch (error) {
    if (error instanceof ApiFault && ENDED.has(error.reason))
      await forgetLogin(`${error.message} Log in again.`)
    throw error
  }
}

async function readHeaders(login: Login, body: string): Promise<Readonly<Record<string, string>>> {
  return login.by === "key" ? stampByKey(login.key, body) : { "x-session": login.readSession }
}

/** The body of an activity, with the current time and a request for proofs. */
export function activityBody(type: string, parameters: object, organizationId: string): string {
  const timestampMs = String(Date.now())
  return JSON.stringify({ type, timestampMs, organizationId, parameters, generateAppProofs: true })
}

/**
 * Stamps and sends a body exactly as given, and returns its own activity.
 * @throws {ApiFault}; {DOMException} if the user refuses the passkey
 */
export async function submit(path: string, body: string): Promise<WholeActivityJson> {
  const login = requireLogin()
  const headers =
    login.by === "key"
      ? await stampByKey(login.key, body)
      : (await stampByPasskey(body, login.credentialId)).headers
  const { activity } = await send<{ activity?: WholeActivityJson }>(
    `/public/v1/submit/${path}`,
    body,
    headers,
  )
  const { isOwnActivity } = await import("../words/own-activity.ts")
  if (activity !== undefined && isOwnActivity(activity.fingerprint, body, await sha256Hex(body)))
    return activity
  const sentence =
    "The API answered with another activity than the one that was stamped. Have nobody approve it."
  throw new ApiFault(sentence, { reason: "ANSWER_DIFFERS" })
}

/** @throws {ApiFault} */
export async function send<Reply>(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { apiUrl } = await loadConfig()
  return exchange<Reply>(apiUrl, path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  })
}

/** Parts of the API with "ok" or what is wrong with them; `ready`: whether requests can be served. */
export type ShownReadiness = { readonly ready: boolean; readonly [part: string]: unknown }

/** The answer of /readyz of the API, or of another host, also while it is not ready: it answers 503 then. @throws {ApiFault} */
export async function getReadiness(host?: { name: string; url: string }): Promise<ShownReadiness> {
  const { name, url } = host ?? { name: "API", url: (await loadConfig()).apiUrl }
  const { response, reply } = await ask(url, "/readyz", {}, name)
  if (typeof reply["ready"] === "boolean") return reply as ShownReadiness
  throw faultOf(reply, response)
}

/** A page of the API that needs no stamp. @throws {ApiFault} */
export async function get<Reply>(path: string): Promise<Reply> {
  const { apiUrl } = await loadConfig()
  return exchange<Reply>(apiUrl, path, {})
}

async function exchange<Reply>(apiUrl: string, path: string, init: RequestInit): Promise<Reply> {
  const { response, reply } = await ask(apiUrl, path, init)
  if (response.ok) return reply as Reply
  throw faultOf(reply, response)
}

/** The answer, whatever its status. @throws {ApiFault} if there is none */
async function ask(
  apiUrl: string,
  path: string,
  init: RequestInit,
  host = "API",
): Promise<{ response: Response; reply: JsonMembers }> {
  try {
    const response = await fetch(apiUrl + path, init)
    return { response, reply: (await response.json()) as JsonMembers }
  } catch {
    const advice = "Is it running? Start it with npm start, or ask who runs it."
    throw new ApiFault(`No answer from the ${host} at ${apiUrl}. ${advice}`, { reason: "UNREACHABLE" })
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

function faultOf(reply: JsonMembers, { status, headers }: Response): ApiFault {
  const details = (Array.isArray(reply["details"]) ? reply["details"] : []) as JsonMembers[]
  const find = (member: string) => details.find((detail) => member in detail)?.[member]
  const violations = (find("fieldViolations") ?? []) as { field?: string }[]
  return new ApiFault(text(reply["message"]) || `The API answered ${status}.`, {
    reason: text(find("reason")) || text(reply["turnkeyErrorCode"]),
    field: violations[0]?.field ?? "",
    requestId: headers.get("x-request-id") ?? "",
    status,
    details,
  })
}
