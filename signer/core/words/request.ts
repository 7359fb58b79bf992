// The words of a request, made from the signer's own reading of its body and from nothing else.
import { NO_INTERFACES } from "../contract-interface/interfaces.ts"
import { writers } from "../modules/words.ts"
import { rootsOf } from "../policy/facts/declared.ts"
import type { ReadBody } from "../request/read-body.ts"
import { timeText } from "./text.ts"
import { titleOf } from "./labels.ts"
import { membersOf } from "./members.ts"
import { MemberPhrases } from "./member-phrases.ts"
import { pathText } from "./text.ts"
import { sha256Hex } from "./values.ts"
import { votes } from "./votes.ts"
import type { MemberFact, Words, WordsContext } from "./words.ts"
import type { IntentCase, Writer, Writers, Written } from "./writer.ts"

const WRITERS: Writers = { ...writers, ...votes }

/** Characters of a line of a list. */
const MAX_LINE = 200
/** Hexadecimal digits of a digest at the end of a line: 48 bits. */
const DIGEST_DIGITS = 12

const NO_NAMES: WordsContext = {
  nameOf: () => undefined,
  interfaces: NO_INTERFACES,
  hasSignedInterfaces: false,
}

/** @param context names and interfaces. Their source could lie, so names stand in brackets beside the ids */
export function wordsOfRequest(read: ReadBody, context: Partial<WordsContext> = {}): Words {
  const { activity, parameters, ignored } = read
  const given = { ...NO_NAMES, ...context }
  const mentioned = new Set<string>()
  const { sentence, contents } = write(read, mentioned, given)
  const members = membersOf(activity.intentSchema, parameters, given.nameOf)
  // Names are left out: they could differ between two readers of one request.
  const plain = membersOf(activity.intentSchema, parameters, NO_NAMES.nameOf)
  const rest = plain.filter(({ path }) => !isMentioned(path, mentioned))
  return {
    title: titleOf(activity.type),
    sentence,
    line: lineOf(sentence, rest.length > 0, digestOf(activity.type, plain)),
    contents,
    members: [...members, ...envelopeOf(read)],
    ignored: ignored.map(pathText),
  }
}

/** True if the request may have calls of contracts, for whose words interfaces are needed: it has facts of a chain. */
export function hasCalls({ activity }: ReadBody): boolean {
  return [...rootsOf(activity)].some((root) => root.includes("."))
}

function write({ activity, parameters }: ReadBody, mentioned: Set<string>, context: WordsContext): Written {
  const { intentSchema, intentField } = activity
  const writer = WRITERS[intentField.localName as IntentCase] as Writer<object>
  const written = writer(
    new MemberPhrases(intentSchema, parameters, { nameOf: context.nameOf, mentioned }),
    context,
  )
  return typeof written === "string" ? { sentence: written, contents: [] } : written
}

/** True if the sentence names the member at this path, or the whole member that it is part of. */
function isMentioned(path: string, mentioned: ReadonlySet<string>): boolean {
  return [...mentioned].some(
    (one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`),
  )
}

/** The sentence in one line of a list. If it leaves a member out, the line ends with a digest of the whole request. */
function lineOf(sentence: string, hasMore: boolean, digest: string): string {
  const characters = Array.from(sentence)
  if (characters.length <= MAX_LINE) return hasMore ? `${sentence} … ${digest}` : sentence
  return `${characters.slice(0, MAX_LINE).join("")}… ${digest}`
}

function digestOf(type: string, members: readonly MemberFact[]): string {
  const shown = members.map(({ path, value, text = [] }) => [path, value, ...text])
  return sha256Hex(JSON.stringify([type, ...shown])).slice(0, DIGEST_DIGITS)
}

function envelopeOf({ activity, organizationId, timestampMs, wantsProofs }: ReadBody): MemberFact[] {
  return [
    { path: "type", name: "Type", value: activity.type },
    { path: "organizationId", name: "Organization", value: organizationId },
    { path: "timestampMs", name: "Made at", value: `${timeText(timestampMs)} (${timestampMs})` },
    ...(wantsProofs ? [{ path: "generateAppProofs", name: "Proofs", value: "asked for" }] : []),
  ]
}
