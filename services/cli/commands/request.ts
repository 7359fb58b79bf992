import {
  type ActivityJson,
  activityBody,
  isPathUnknown,
  postForHeaders,
} from "../../terminal-client/api-client.ts"
import { stamp } from "../../terminal-client/api-key.ts"
import type { ChangeOptions, submitKept } from "../../terminal-client/changes/change.ts"
import type { Submitting } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode } from "../../terminal-client/exit.ts"
import { requireOrganization } from "../api-options.ts"
import { readObject } from "../../terminal-client/json.ts"
import { printResult } from "../../terminal-client/terminal.ts"

export type ApiRequest = {
  /** `/public/v1/query/whoami`, `query/whoami` or `whoami`. */
  path: string
  /** JSON; with `submitType`, the parameters of the activity. */
  body: string
  organizationId?: string
  /** Activity type with or without its prefix; puts the body into an envelope with the current time. */
  submitType?: string
  /** Requests app proofs of the activity. */
  prove?: true
}

export type RequestOptions = ChangeOptions & { curl?: boolean }

/** Context in which a request is stamped and sent. Its organization may be named by the body alone. */
export type RequestStamping = Omit<Submitting, "organizationId">

/**
 * Stamps and sends a request and prints the reply, even of a pending or failed activity.
 * @throws {CliError} usage, if the operation does not have a member of the body
 */
export async function request(
  apiRequest: ApiRequest,
  options: RequestOptions,
  stamping: RequestStamping,
): Promise<void> {
  const { client, terminal } = stamping
  const { organizationId } = apiRequest
  const given = readObject(apiRequest.body, "BODY")
  const path = fullPath(apiRequest)
  const body =
    apiRequest.submitType === undefined
      ? JSON.stringify({ ...(organizationId && { organizationId }), ...given })
      : activityBody(
          activityType(apiRequest.submitType),
          requireOrganization(organizationId),
          given,
          apiRequest.prove && { generateAppProofs: true },
        )
  // The catalog of operations loads slowly, so it is loaded here.
  const { requireKnownMembers } = await import("../../terminal-client/changes/unknown-members.ts")
  requireKnownMembers(path, JSON.parse(body) as { [member: string]: unknown })
  if (options.curl) {
    terminal.print(curlLine(client, path, body))
    return
  }
  const changing = await import("../../terminal-client/changes/change.ts")
  const own = { ...stamping, organizationId: organizationId ?? "" }
  const replied = await send(apiRequest, {
    body,
    given,
    path,
    options,
    stamping: own,
    submitKept: changing.submitKept,
  }).catch(async (error: unknown) => {
    throw await withHint(error, path, JSON.parse(body) as object)
  })
  if (replied === undefined) return
  const { reply, headers } = replied
  printResult(terminal, reply, options)
  const { linesOfHeader } = await import("../../terminal-client/note-lines.ts")
  for (const line of await linesOfHeader(headers.get("x-countersign-policy-warnings"))) terminal.log(line)
  const { activity } = reply as { activity?: ActivityJson }
  if (!activity || !path.includes("/submit/")) return
  const unfinished = await changing.unfinishedFault(activity, {
    ...own,
    organizationId: activity.organizationId,
  })
  if (unfinished) throw unfinished
}

type Sending = {
  body: string
  given: object
  path: string
  options: RequestOptions
  stamping: Submitting
  submitKept: typeof submitKept
}

/** A query, or a whole body, goes as it is. Parameters become an activity, which is kept until its outcome. */
async function send(apiRequest: ApiRequest, sending: Sending) {
  const { body, given, path, options, stamping } = sending
  const { client, terminal } = stamping
  if (apiRequest.submitType !== undefined && path.includes("/submit/")) {
    const change = {
      type: activityType(apiRequest.submitType),
      parameters: given,
      path: path.replace("/public/v1/submit/", ""),
    }
    return sending.submitKept(
      { ...change, ...(apiRequest.prove && { prove: apiRequest.prove }) },
      options,
      stamping,
    )
  }
  if (options.dryRun) {
    terminal.log(`would stamp and send this to ${client.url}${path}; nothing was sent`)
    terminal.print(body)
    return undefined
  }
  return postForHeaders(client, path, body)
}

/** One word of a shell command. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A curl command that sends this stamped request. Anyone who has it can send it, for an hour. */
function curlLine({ url, key }: RequestStamping["client"], path: string, body: string): string {
  const headers = ["content-type: application/json", `x-stamp: ${stamp(key, body)}`]
  const words = headers.map((header) => `--header ${quote(header)}`).join(" ")
  return `curl --request POST ${quote(new URL(path, url).href)} ${words} --data-binary ${quote(body)}`
}

const NO_ORGANIZATION = "Neither the body nor the key's files name an organization; use --organization ID"

/** Adds the change of the command line that probably helps. The catalog loads slowly, so it is loaded here. */
async function withHint(error: unknown, path: string, body: object): Promise<unknown> {
  if (!(error instanceof CliError) || error.code !== ExitCode.refused) return error
  const { suggestPath, suggestSubmit } = await import("./suggest-path.ts")
  const hint = isPathUnknown(error)
    ? suggestPath(path)
    : (suggestSubmit(path, body) ?? ("organizationId" in body ? undefined : NO_ORGANIZATION))
  if (hint === undefined) return error
  const [sentence, ...lines] = error.lines
  const { reason, reply } = error
  return new CliError(error.code, [`${sentence}. ${hint}`, ...lines], { cause: error, reason, reply })
}

function fullPath({ path, submitType }: Pick<ApiRequest, "path" | "submitType">): string {
  const trimmed = path.replace(/^\/+/, "")
  if (trimmed.startsWith("public/")) return `/${trimmed}`
  if (/^(query|submit)\//.test(trimmed)) return `/public/v1/${trimmed}`
  return `/public/v1/${submitType === undefined ? "query" : "submit"}/${trimmed}`
}

const PREFIX = "ACTIVITY_TYPE_"

function activityType(name: string): string {
  const upper = name.toUpperCase()
  return upper.startsWith(PREFIX) ? upper : PREFIX + upper
}
