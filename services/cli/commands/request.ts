import {
  type Activity,
  type ApiClient,
  activityBody,
  isPathUnknown,
  postForHeaders,
  whyUnfinished,
} from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { printResult, type Terminal } from "../terminal.ts"

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

/**
 * Stamps and sends a request and prints the reply, even of a pending or failed activity.
 * @throws {CliError} usage, if the operation does not have a member of the body
 */
export async function request(
  order: ApiRequest,
  client: ApiClient,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { organizationId } = order
  const given = readObject(order.body)
  const body =
    order.submitType === undefined
      ? JSON.stringify({ ...(organizationId && { organizationId }), ...given })
      : activityBody(
          activityType(order.submitType),
          requireOrganization(organizationId),
          given,
          order.prove && { generateAppProofs: true },
        )
  // The catalog of operations loads slowly, so it is loaded here.
  const { requireKnownMembers } = await import("./unknown-members.ts")
  requireKnownMembers(fullPath(order), JSON.parse(body) as { [member: string]: unknown })
  const { reply, headers } = await postForHeaders(client, fullPath(order), body).catch(
    async (error: unknown) => {
      throw await withHint(error, fullPath(order), JSON.parse(body) as object)
    },
  )
  printResult(terminal, reply, options)
  const { linesOfHeader } = await import("../policies/note-lines.ts")
  for (const line of linesOfHeader(headers.get("x-countersign-policy-warnings"))) terminal.log(line)
  const { activity } = reply as { activity?: Activity }
  if (!activity || !fullPath(order).includes("/submit/")) return
  const unfinished = whyUnfinished(activity)
  if (unfinished) throw unfinished
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

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch (cause) {
    throw new CliError(ExitCode.usage, `BODY is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw new CliError(ExitCode.usage, "BODY is not a JSON object")
}

export function requireOrganization(organizationId: string | undefined): string {
  if (organizationId) return organizationId
  throw new CliError(ExitCode.usage, "no organization: the key's files name none; use --organization ID")
}
