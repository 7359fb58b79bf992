import { check } from "../../dashboard/api/verify.ts"
import { wordsOf } from "../../../signer/core/fingerprint-words.ts"
import { readBodyText, type ReadBody } from "../../../signer/core/request/read-body.ts"
import { wordsOfRequest } from "../../../signer/core/words/request.ts"
import { titleOf } from "../../../signer/core/words/labels.ts"
import { bracketed } from "../../../signer/core/words/text.ts"
import { identified } from "../../../signer/core/words/values.ts"
import type {
  Content,
  DescriptionLine,
  NameOf,
  Words,
  WordsContext,
} from "../../../signer/core/words/words.ts"
import { lapseOf, type ActivityDetails } from "../changes/waiting.ts"
import { CliError, ExitCode } from "../exit.ts"

/** An activity in words, read from the stamped bytes. */
export type ReadActivity = {
  words: Words
  /** The request's fingerprint, in hexadecimal, and as words to compare by voice. */
  fingerprint: string
  phrase: string
  /** Id of the user who submitted it behind their name, as the API states both: the stamp names a key. */
  submitter: string
  lapsesAt: string | undefined
}

/**
 * Reads the request from the bytes that its stamps cover, after checking that they do: the API tier shows both.
 *
 * @throws {CliError} verificationFailed: the activity shown is not the one that was stamped
 */
export function readActivity(
  activity: ActivityDetails,
  request: ReadBody,
  context: WordsContext,
): ReadActivity {
  return {
    words: wordsOfRequest(request, context),
    fingerprint: activity.fingerprint,
    phrase: wordsOf(activity.fingerprint.replace("sha256:", "")),
    submitter: identified(activity.votes[0]?.userId ?? "", context.nameOf),
    lapsesAt: lapseOf(activity),
  }
}

/** The request that the stamps of an activity cover, as the signer reads it. @throws {CliError} verificationFailed */
export function stampedRequest(activity: object): ReadBody {
  return readBodyText(stampedBody(activity))
}

/** The body that the stamps of an activity cover. @throws {CliError} verificationFailed */
export function stampedBody(activity: object): string {
  const { verdict, findings, body } = check(activity as never, [], undefined)
  if (verdict !== "false" && body !== undefined) return body
  const fault = findings.find((finding) => finding.verdict === "failed")?.sentence ?? "it cannot be checked"
  const { id } = activity as { id: string }
  const sentence = `activity ${id} is not what its users stamped: ${fault}. Do not approve it`
  throw new CliError(ExitCode.verificationFailed, sentence)
}

/** The request of an activity in a list; undefined: the API shows other data than the stamped body, or the body is unreadable. */
export function requestInList(activity: object): ReadBody | undefined {
  try {
    return stampedRequest(activity)
  } catch {
    return undefined
  }
}

/** A line of a list. */
export function lineOf(
  { type }: { readonly type: string },
  request: ReadBody | undefined,
  context: Partial<WordsContext> = {},
): string {
  if (request === undefined) return `${titleOf(type)}: the API shows another request than the stamped one`
  return wordsOfRequest(request, context).line
}

/** A user in a list: their name, as the API states it; the id of a user without one. */
export function userInList(userId: string, nameOf: NameOf): string {
  const name = nameOf(userId)
  return name === undefined ? userId : bracketed(name)
}

/** Lines of an activity: submitter, request, signed content, all members of the request, fingerprint. */
export function linesOfActivity({ words, fingerprint, phrase, submitter }: ReadActivity): string[] {
  const { sentence, contents, members, ignored } = words
  return [
    `${submitter} asks: ${sentence}`,
    "  read from the stamped bytes as the signer reads them; names in [brackets] are the API's",
    ...contents.flatMap(linesOfContent),
    "  all members of the request:",
    ...linesOfFacts(members),
    ...ignored.map((path) => `  the signer ignores: ${path}`),
    `  fingerprint ${fingerprint}`,
    `  words       ${phrase}`,
  ]
}

/** Lines of a request that is about to be stamped: the sentence, and what is sent or signed. */
export function linesOfRequest(request: ReadBody, context: WordsContext): string[] {
  const { sentence, contents } = wordsOfRequest(request, context)
  return [sentence, ...contents.flatMap(linesOfContent)]
}

function linesOfContent({ title, facts, warnings }: Content): string[] {
  return [`  ${title}`, ...warnings.map((warning) => `  WARNING: ${warning}`), ...linesOfFacts(facts)]
}

/** The longest name that the values of a description are aligned behind. */
const MAX_NAME = 28

function linesOfFacts(facts: readonly DescriptionLine[]): string[] {
  const width = Math.min(MAX_NAME, Math.max(0, ...facts.map(({ name }) => name.length)))
  return facts.flatMap(({ name, value, text = [] }) => [
    `    ${name.padEnd(width)}  ${value}`.trimEnd(),
    ...text.map((line) => `      | ${line}`),
  ])
}
