import { activityTypes } from "../../../proto/catalog.ts"
import { ReadFault, readMessage } from "../../../proto/read.ts"
import { requireOwnActivity } from "../activities/own-activity.ts"
import { type ActivityJson, activityBody, postForHeaders, whyUnfinished } from "../api-client.ts"
import { requireKnownMembers } from "./unknown-members.ts"
import { CliError, ExitCode, usage } from "../exit.ts"
import { linesOfHeader } from "../note-lines.ts"
import { printResult, type Terminal } from "../terminal.ts"
import type { Submitting } from "./stamping.ts"
import { forget, keep, keptFile, readKept } from "./kept-requests.ts"
import { waiting } from "./waiting.ts"

/** One activity to submit. */
export type ActivityToSubmit = {
  /** Wire name of the activity's type. */
  type: string
  parameters: object
  /** Members by which a repeated command is recognized; by default the parameters. */
  identity?: object
  /** Private key that opens the result, kept beside the request. */
  secret?: string
  prove?: true
  /**
   * Shows the body that will be sent, which an earlier command may have stamped, and asks. It throws if it must not be sent.
   */
  review?: (body: string) => Promise<void>
  /** True: the notes about a policy, which the answer has too, were shown. */
  hasShownNotes?: boolean
  /** Says a line of a refusal in the words of the command: options in place of members. */
  inOwnWords?: (line: string) => string
  /** Says in the sentence about a faulty parameter, with its path, where the user gave it. */
  explain?: (sentence: string, member: string) => string
}

export type ChangeOptions = { dryRun?: boolean; again?: boolean; json?: boolean }

/** `secret`: of the request that was sent, which may be an earlier one. */
export type SubmittedChange = { activity: ActivityJson; secret: string | undefined }

/**
 * Stamps and submits an activity and returns it once it is completed. Undefined: a dry run, which has printed the body to
 * stamp.
 *
 * @throws {CliError} usage: a parameter is faulty; waitsForApproval; or the fault of the API's answer
 */
export async function submitChange(
  submission: ActivityToSubmit,
  options: ChangeOptions,
  stamping: Submitting,
): Promise<SubmittedChange | undefined> {
  requireParameters(submission)
  const path = requirePath(submission.type)
  const replied = await submitKept({ ...submission, path }, options, stamping)
  if (replied === undefined) return undefined
  const notes = submission.hasShownNotes ? null : replied.headers.get("x-countersign-policy-warnings")
  for (const line of await linesOfHeader(notes)) stamping.terminal.log(line)
  const { activity, secret } = replied
  const unfinished = await unfinishedFault(activity, stamping, submission.inOwnWords)
  if (unfinished) throw unfinished
  return { activity, secret }
}

/** The fault of an activity that is not completed; undefined if it is. */
export async function unfinishedFault(
  activity: ActivityJson,
  stamping: Submitting,
  inOwnWords?: ActivityToSubmit["inOwnWords"],
): Promise<CliError | undefined> {
  const unfinished = whyUnfinished(activity)
  if (unfinished?.code === ExitCode.waitsForApproval) return waiting(activity, stamping)
  return unfinished && withAdvice(unfinished, inOwnWords)
}

/** `secret`: of the request that was sent, which may be an earlier one. */
type Replied = { activity: ActivityJson; reply: unknown; headers: Headers; secret: string | undefined }

/**
 * Stamps and submits an activity, and returns the API's answer. A request is kept until it is completed, and the same
 * command sends it again. Undefined: a dry run.
 *
 * @throws {CliError} the fault of the API's answer; verificationFailed: it is about another activity
 */
export async function submitKept(
  submission: ActivityToSubmit & { path: string },
  options: ChangeOptions,
  { client, organizationId, terminal, requestsFolder }: Submitting,
): Promise<Replied | undefined> {
  const { type, parameters, path, prove } = submission
  const file = keptFile(requestsFolder, {
    organizationId,
    publicKey: client.key.publicKey,
    type,
    parameters: { ...(submission.identity ?? parameters), ...(prove && { "": "proof" }) },
  })
  const kept = options.again ? undefined : await readKept(file, Date.now())
  const beside = prove ? { generateAppProofs: true as const } : {}
  const body = kept?.body ?? activityBody(type, organizationId, parameters, beside)
  const secret = kept === undefined ? submission.secret : kept.secret
  if (options.dryRun) {
    printDryRun(`${client.url}/public/v1/submit/${path}`, body, options, terminal)
    return undefined
  }
  if (kept !== undefined && !options.json)
    terminal.log(`sends the request of ${timeText(kept.sentAtMs)} again; for a new one: --again`)
  await submission.review?.(body)
  if (kept === undefined)
    await keep(requestsFolder, file, { body, sentAtMs: Date.now(), ...(secret && { secret }) }, Date.now())
  const { reply, headers } = await postForHeaders(client, `/public/v1/submit/${path}`, body).catch(
    (error: unknown) => {
      throw withAdvice(error, submission.inOwnWords)
    },
  )
  const { activity } = reply as { activity: ActivityJson }
  await requireOwnActivity(activity, body)
  if (whyUnfinished(activity) === undefined) await forget(file)
  return { activity, reply, headers, secret }
}

/** The result of an activity, without the name of its type. */
export function resultOf({ result }: ActivityJson): { readonly [member: string]: unknown } {
  const [members = {}] = Object.values(result)
  return members as { readonly [member: string]: unknown }
}

/** An activity that is completed, as commands print it with --json. */
export function receiptOf(activity: ActivityJson) {
  const { id: activityId, fingerprint, status } = activity
  return { activityId, fingerprint, status, result: resultOf(activity) }
}

function requirePath(type: string): string {
  const path = activityTypes.get(type)?.path
  if (path === undefined) throw new Error(`there is no activity type ${type}`)
  return path
}

/** The rules of the contract, before anything is stamped. @throws {CliError} usage */
function requireParameters({ type, parameters, explain = (sentence) => sentence }: ActivityToSubmit): void {
  const path = requirePath(type)
  const body = { type, timestampMs: "1", organizationId: "", parameters }
  requireKnownMembers(`/public/v1/submit/${path}`, body, "the request")
  const schema = activityTypes.get(type)?.intentSchema
  if (schema === undefined) return
  try {
    readMessage(schema, parameters)
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault
    const [, member = ""] = /`([\w.[\]]+)`/.exec(fault.message) ?? /^([\w.[\]]+)/.exec(fault.message) ?? []
    throw usage(explain(fault.message, member), { cause: fault })
  }
}

function printDryRun(url: string, body: string, { json }: ChangeOptions, terminal: Terminal): void {
  if (json) printResult(terminal, { dryRun: true, url, body }, { json })
  else {
    terminal.log(`would stamp and send this to ${url}; nothing was sent`)
    terminal.print(body)
  }
}

/**
 * The fault with advice about a repetition. Only the API's word says that a request was refused, and a hostile API can
 * run the stamped request afterwards. A second request for the same would then run too, so only `--again` makes one.
 */
function withAdvice<Fault>(error: Fault, inOwnWords = (line: string) => line): Fault | CliError {
  if (!(error instanceof CliError)) return error
  const { code, lines, reason, reply } = error
  return new CliError(
    code,
    [...lines.map(inOwnWords), code === ExitCode.refused ? REFUSED_ADVICE : OPEN_ADVICE],
    {
      cause: error,
      reason,
      reply,
    },
  )
}

const OPEN_ADVICE = "The request is kept: the same command sends it again within the hour, and it runs once"
const REFUSED_ADVICE =
  "Correct the command, or what refused it. The same command repeats this request; with --again it makes a new one"

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`
}
