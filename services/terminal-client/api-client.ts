import type { ActivityJson } from "../common/activity-json.ts"
import { commandText, shownId } from "../../signer/core/command-text.ts"
import { requireOwnActivity } from "./activities/own-activity.ts"
import { type ApiKey, stamp } from "./api-key.ts"
import { errorLines, reasonOf } from "./error-text.ts"
import { CliError, ExitCode } from "./exit.ts"

export type { ActivityJson }

/** One API and, where requests need a stamp, the key that stamps them. */
export type ApiClient = { url: string; key?: ApiKey; signal?: AbortSignal }

type Reply = { reply: unknown; headers: Headers }

/** Longest wait for one reply. */
const REQUEST_TIMEOUT_MS = 30_000

/** Sends a body exactly as given, stamped, and returns the reply. */
export async function post(client: ApiClient, path: string, body: string): Promise<unknown> {
  const { reply } = await postForHeaders(client, path, body)
  return reply
}

/** The same, with the headers of the reply. */
export async function postForHeaders(client: ApiClient, path: string, body: string): Promise<Reply> {
  const headers: Record<string, string> = { "content-type": "application/json" }
  if (client.key) headers["x-stamp"] = stamp(client.key, body)
  return exchange(client, path, { method: "POST", headers, body })
}

export async function get(client: ApiClient, path: string): Promise<unknown> {
  const { reply } = await exchange(client, path, { method: "GET" })
  return reply
}

/** An organization at an API; with a key, queries about it are stamped. */
export type Querying = { client: ApiClient; organizationId: string }

/** Asks for something of the organization. */
export async function query<Answer>(
  { client, organizationId }: Querying,
  path: string,
  members: object = {},
): Promise<Answer> {
  const body = JSON.stringify({ organizationId, ...members })
  return (await post(client, `/public/v1/query/${path}`, body)) as Answer
}

/** The body of an activity with the current time. The caller keeps it to send the same activity again. */
export function activityBody(
  type: string,
  organizationId: string,
  parameters: object,
  beside: { generateAppProofs?: true } = {},
): string {
  return JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters, ...beside })
}

/** Sends an activity and returns its result. @throws {CliError} if the activity is not completed */
export async function submit(
  client: ApiClient,
  path: string,
  body: string,
): Promise<Record<string, unknown>> {
  const { activity } = (await post(client, `/public/v1/submit/${path}`, body)) as { activity: ActivityJson }
  await requireOwnActivity(activity, body)
  const unfinished = whyUnfinished(activity)
  if (unfinished) throw unfinished
  const [result] = Object.values(activity.result)
  return result as Record<string, unknown>
}

/** Why the activity is not completed; undefined if it is. */
export function whyUnfinished({
  status,
  fingerprint,
  failure,
  organizationId,
}: ActivityJson): CliError | undefined {
  switch (status) {
    case "ACTIVITY_STATUS_COMPLETED":
      return undefined
    case "ACTIVITY_STATUS_FAILED":
    case "ACTIVITY_STATUS_REJECTED":
      return new CliError(ExitCode.refused, failure?.message ?? `the activity ${fingerprint} was refused`)
    default:
      return new CliError(ExitCode.waitsForApproval, [
        `waiting for approval: ${fingerprint}`,
        ...approvalLines(status, fingerprint, organizationId),
      ])
  }
}

/** The command that approves, for another user or, before that, for the submitter's next credential. */
function approvalLines(status: string, fingerprint: string, organizationId: string): string[] {
  const who =
    status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"
      ? "its submitter approves with each further credential that get_mfa_status names"
      : "another user approves"
  const parameters = JSON.stringify({ fingerprint })
  return [
    `${who}, with the NAME of a key of the keys folder:`,
    commandText`  npx countersign request approve_activity ${parameters} --submit approve_activity --organization ${shownId(organizationId, "ID")} --as NAME`,
  ]
}

async function exchange(client: ApiClient, path: string, request: RequestInit): Promise<Reply> {
  const signals = [AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(client.signal ? [client.signal] : [])]
  let response: Response
  let text: string
  try {
    response = await fetch(new URL(path, client.url), { ...request, signal: AbortSignal.any(signals) })
    text = await response.text()
  } catch (cause) {
    client.signal?.throwIfAborted()
    throw new CliError(ExitCode.unreachable, noAnswer(client.url, cause), { cause })
  }
  const { status, headers } = response
  const reply = readJson(text)
  if (status < 400 && reply !== undefined) return { reply, headers }
  const lines = errorLines(reply, `${client.url}${path} answered ${status}`)
  const reason = reasonOf(reply) ?? (status === 404 ? NO_PATH : undefined)
  throw new CliError(exitOf(status), lines, { reason, reply })
}

/** The sentence about a request without reply. `fetch` gives the fault of the connection as the cause of its own. */
function noAnswer(url: string, error: unknown): string {
  const { cause, name } = error as { cause?: { code?: string; message?: string }; name?: string }
  const code = cause?.code ?? cause?.message ?? name
  const hint = /SSL|EPROTO/.test(code ?? "")
    ? "The API speaks plain http: write http://, or the address of the proxy that adds TLS"
    : "Is it running? npx countersign dev, or name another with --api URL"
  return `no answer from ${url} (${code}). ${hint}`
}

/** Reason of a 404 without a code: the API has no such path. */
const NO_PATH = "PATH_UNKNOWN"

/** True if the path is unknown, rather than a resource that the body names. */
export function isPathUnknown(error: unknown): error is CliError {
  return error instanceof CliError && error.reason === NO_PATH
}

/**
 * 502 to 504: the signer is unreachable or locked. 4xx and 501: the API refused, and a retry changes nothing. Anything
 * else is a fault of the API.
 */
function exitOf(status: number): ExitCode {
  if (status === 502 || status === 503 || status === 504) return ExitCode.unreachable
  return (status >= 400 && status < 500) || status === 501 ? ExitCode.refused : ExitCode.fault
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
