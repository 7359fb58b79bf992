// Suggestions for refused expressions. The signer refuses without them; the API tier and the command line add them.
import { editDistance } from "../../proto/edit-distance.ts"
import { excerpt, type ExpressionFault } from "../../signer/core/policy/language/fault.ts"
import { type Field, firstWord } from "../../signer/core/policy/language/names.ts"
import { namespaces } from "../../signer/core/policy/namespaces/index.ts"

/** A name to write in place of the fault, or a hint in words. Undefined: there is no suggestion. */
export function suggestionFor(fault: ExpressionFault, text: string, field?: Field): string | undefined {
  const { kind } = fault
  const { offset, length } = fault.place
  const bareId = bareIdAt(text, offset)
  if (bareId !== undefined) {
    const isWhole = field === "consensus" && text.trim() === bareId
    return `text stands in quotes: ${isWhole ? `approvers.any(u, u.id == '${bareId}')` : `'${bareId}'`}`
  }
  const place = { before: text.slice(0, offset), written: text.slice(offset, offset + length) }
  switch (kind) {
    case "syntax":
      return forSyntax(fault, place)
    case "unknown-field":
      return forName(fault, place)
    case "type":
      return forType(fault, place)
    case "bound":
      return undefined
    default:
      return kind satisfies never
  }
}

/** A fault's sentence with the suggestion behind it. */
export function withSuggestion(
  sentence: string,
  suggestion: string | undefined,
  kind: ExpressionFault["kind"],
): string {
  if (suggestion === undefined) return sentence
  return kind === "unknown-field" && /^[a-z_]+$/.test(suggestion)
    ? `${sentence}. Did you mean ${suggestion}?`
    : `${sentence}; ${suggestion}`
}

const UNQUOTED_ID = /(?<!')\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b(?!')/g

/** The id without quotes that the fault lies in. */
function bareIdAt(text: string, offset: number): string | undefined {
  const found = [...text.matchAll(UNQUOTED_ID)].find(
    ({ 0: id, index }) => index <= offset && offset < index + id.length,
  )
  return found?.[0]
}

/** The text at the fault, and the text before it. */
type FaultText = { readonly before: string; readonly written: string }

function forSyntax(
  { message, place: { expected } }: ExpressionFault,
  { before, written }: FaultText,
): string | undefined {
  if (message === "not an integer") return "integers are written in decimal digits alone"
  if (message === "the string has no end") return "strings are in single quotes and cannot contain one"
  if (message.startsWith("function does not exist") && METHODS.has(written)) {
    return `a method of lists: x.${written}(...)`
  }
  switch (expected) {
    case "&&, || or the end of the text":
      return "comparisons do not chain: use parentheses"
    case ")":
      if (/\.\s*count\s*\(\s*$/.test(before)) return "count what is left: x.filter(v, ...).count()"
      break
    case "an operator or the end of the text": {
      // `not x`: the word was read as a name.
      const [, name = ""] = /^[\s(]*([A-Za-z_][A-Za-z_0-9]*)[\s)]*$/.exec(before) ?? []
      return HINTS.get(name) ?? HINTS.get(written)
    }
    default:
  }
  return HINTS.get(written)
}

const METHODS: ReadonlySet<string> = new Set(["contains", "any", "all", "filter", "count"])

function forName(
  { place: { known = [] } }: ExpressionFault,
  { before, written }: FaultText,
): string | undefined {
  const isMember = /(?:^|[^.])\.\s*$/.test(before)
  const field = isMember ? undefined : fieldOfRoot(written)
  return field === undefined ? closestName(written, known) : `${written} belongs in a ${field} expression`
}

/** The field with a root that begins with this word. The faulty expression's own field has no such root. */
function fieldOfRoot(word: string): Field | undefined {
  return Object.values(namespaces).find(({ roots }) => Object.keys(roots).map(firstWord).includes(word))
    ?.field
}

function forType(
  { message, place: { expected } }: ExpressionFault,
  { written }: FaultText,
): string | undefined {
  if (expected === "a key in brackets") return `['${written}']`
  if (expected === "a method or an operator") return HINTS.get(written)
  if (!message.endsWith("are read with a dot")) return undefined
  return LITERAL.test(written) ? `.${excerpt(literalText(written))}` : undefined
}

const LITERAL = /^(?:'[^']*'|\d+|true|false)$/

function literalText(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1)
  return /^\d/.test(written) ? String(BigInt(written)) : written
}

/** Hints for words and signs of other languages, which the policy language does not have. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['"', "strings are in single quotes"],
  ["`", "strings are in single quotes"],
  ["\u2018", "strings are in straight single quotes"],
  ["\u2019", "strings are in straight single quotes"],
  ["\u201c", "strings are in straight single quotes"],
  ["\u201d", "strings are in straight single quotes"],
  ["&", "and is written &&"],
  ["|", "or is written ||"],
  ["=", "equality is written =="],
  ["-", "there is no arithmetic and no negative integer"],
  ["+", "there is no arithmetic and no joining of strings"],
  ["*", "there is no arithmetic"],
  ["/", "there is no arithmetic and no comment"],
  ["%", "there is no arithmetic"],
  ["?", "there is no conditional: use && and ||"],
  [";", "an expression has no end mark"],
  ["#", "there are no comments"],
  ["\\", "strings have no escapes"],
  ["and", "and is written &&"],
  ["AND", "and is written &&"],
  ["or", "or is written ||"],
  ["OR", "or is written ||"],
  ["not", "not is written !"],
  ["NOT", "not is written !"],
  ["is", "equality is written =="],
  ["hex_to_uint", "there is no conversion: compare a slice with its hexadecimal text"],
  ["startsWith", "there are no string functions: compare a slice, as in x[0..10] == '0xa9059cbb'"],
  ["starts_with", "there are no string functions: compare a slice, as in x[0..10] == '0xa9059cbb'"],
  ["endsWith", "there are no string functions: compare a slice"],
  ["toLowerCase", "wrap both sides in CaseInsensitiveString(...)"],
  ["lower", "wrap both sides in CaseInsensitiveString(...)"],
  ["matches", "there are no patterns: use == or in"],
  ["includes", "contains"],
  ["has", "contains"],
  ["some", "any"],
  ["exists", "any"],
  ["every", "all"],
  ["length", "count()"],
  ["size", "count()"],
  ["len", "count()"],
])

/** Field names of other tools and of older documents. */
const SIMILAR_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["program_id", ["program_key"]],
  ["programId", ["program_key"]],
  ["data", ["instruction_data_hex", "input"]],
  ["input", ["data"]],
  ["gas_limit", ["gas"]],
  ["recipient", ["to"]],
  ["sender", ["from"]],
  ["name", ["label"]],
  ["mint", ["token_mint"]],
  ["lamports", ["amount"]],
  ["value", ["amount"]],
  ["amount", ["value"]],
  ["path", ["path_indexes"]],
  ["pubkey", ["account_key", "public_key"]],
  ["tag_ids", ["tags"]],
  ["user_id", ["id"]],
  ["wallet_id", ["id"]],
  ["private_key_id", ["id"]],
  ["length", ["count()"]],
  ["size", ["count()"]],
])

/** Longer names get no suggestion. */
const MAX_COMPARED = 40

/** The existing name that was probably meant. */
function closestName(written: string, names: readonly string[]): string | undefined {
  if (written.length > MAX_COMPARED) return undefined
  const known = SIMILAR_FIELDS.get(written)?.find((name) => names.includes(name) || name === "count()")
  const snake = written.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return (
    (names.includes(snake) ? snake : undefined) ??
    names.find((name) => name.toLowerCase() === written.toLowerCase()) ??
    known ??
    nearest(snake, names)
  )
}

/** Number of edits up to which a name is suggested for another one. */
function tolerance(name: string): number {
  return name.length < 4 ? 1 : 2
}

function nearest(written: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let least = tolerance(written) + 1
  for (const name of names) {
    const distance = editDistance(written, name)
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}
