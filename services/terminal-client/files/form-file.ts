import type { z } from "zod"
import type { ReadFault } from "../../../proto/read.ts"
import { closestName } from "../../../signer/core/closest-name.ts"
import { namesAt } from "../known-members.ts"
import { type FileFault, readValueFile, type ValueFile } from "./value-file.ts"

/** Reads a file of one form. @throws {CliError} usage, with every mistake of the file at once */
export async function readFormFile<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  guide: string,
): Promise<{ data: z.output<Schema> } & ValueFile> {
  const source = await readValueFile(file, guide)
  return { ...source, data: requireForm(schema, source) }
}

/** The value of a file as the schema reads it. @throws {CliError} usage, with every mistake at once */
export function requireForm<Schema extends z.ZodType>(
  schema: Schema,
  { value, refuse }: Pick<ValueFile, "value" | "refuse">,
): z.output<Schema> {
  const { data, error } = schema.safeParse(value)
  if (error !== undefined) refuse(error.issues.flatMap((issue) => faultsOf(schema, issue, value)))
  return data as z.output<Schema>
}

function faultsOf(schema: z.ZodType, issue: z.core.$ZodIssue, value: unknown): FileFault[] {
  const { path } = issue
  if (issue.code === "unrecognized_keys") {
    const known = namesAt(schema, path)
    return issue.keys.map((key) => unknownMember([...path, key], known))
  }
  return [{ path, sentence: sentenceOf(issue, valueAt(value, path)) }]
}

/** The fault of a message of the public API, as the fault of the object at `path`. */
export function faultOfMessage(
  { path: inner, sentence }: ReadFault,
  path: readonly PropertyKey[],
): FileFault {
  // The sentence begins with the member's path in its message.
  return { path: [...path, ...partsOf(inner)], sentence: sentence.replace(/^`[^`]*` /, "") }
}

/** The parts of a path such as `users[0].userName`. */
export function partsOf(text: string): PropertyKey[] {
  return text
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** The fault of a member that its object does not have. */
export function unknownMember(path: readonly PropertyKey[], known: readonly string[]): FileFault {
  const meant = closestName(String(path.at(-1)), known)
  const advice =
    meant !== undefined
      ? `did you mean ${meant}?`
      : known.length === 0
        ? "leave it out"
        : `use ${known.join(", ")}`
  return { path, sentence: `is unknown; ${advice}`, atName: true }
}

function sentenceOf(issue: z.core.$ZodIssue, given: unknown): string {
  if (given === undefined && issue.code !== "custom") return `is missing; ${expectedOf(issue)}`
  if (issue.code === "invalid_value") {
    const meant = typeof given === "string" ? closestName(given, issue.values.map(String)) : undefined
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`
    return issue.message.startsWith("must")
      ? issue.message
      : `${expectedOf(issue)}, not ${shown(given)}${hint}`
  }
  if (issue.code === "invalid_type")
    return `${expectedOf(issue)}, not ${shown(given)}${quotesHint(issue, given)}`
  if (issue.code === "too_small") return tooSmall(issue)
  return issue.message
}

function tooSmall({ origin, minimum }: { origin: string; minimum: number | bigint }): string {
  const isOne = Number(minimum) === 1
  if (origin === "array") return `must have at least ${isOne ? "one item" : `${minimum} items`}`
  if (origin === "string") return isOne ? "must not be empty" : `must have at least ${minimum} characters`
  return `must be at least ${minimum}`
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `must be ${listed(issue.values.map(String))}`
  if (issue.code === "invalid_type") return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`
  return issue.code === "invalid_union" && issue.message.startsWith("must") ? issue.message : "it is required"
}

function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join("")
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
}

const TYPE_NAMES: { readonly [type: string]: string } = {
  string: "text",
  array: "a list",
  object: "an object with members",
  record: "an object with members",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
}

/** YAML reads a telephone number or a key of digits alone as a number. */
function quotesHint(issue: z.core.$ZodIssue, given: unknown): string {
  const isText = issue.code === "invalid_type" && issue.expected === "string"
  return isText && (typeof given === "number" || typeof given === "boolean") ? "; write it in quotes" : ""
}

const MAX_SHOWN = 60

function shown(given: unknown): string {
  if (Array.isArray(given)) return "a list"
  if (given === null) return "nothing"
  if (typeof given === "object") return "an object with members"
  const text = JSON.stringify(given) ?? ""
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === "object" && at !== null ? (at as { [member: PropertyKey]: unknown })[part] : undefined,
    value,
  )
}
