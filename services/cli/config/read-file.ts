import { readFile } from "node:fs/promises"
import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, type Document, type Node } from "yaml"
import type { z } from "zod"
import { closestName } from "../../../signer/core/closest-name.ts"
import { CliError, ExitCode } from "../exit.ts"
import { namesAt, pathText } from "../known-members.ts"
import { type OrganizationFile, organizationFile } from "./file.ts"

/** A mistake in the file, at the member with this path. */
export type FileFault = { path: readonly PropertyKey[]; sentence: string; atName?: boolean }

/** A file that was read, and the places of its members. */
export type ReadOrganization = {
  file: OrganizationFile
  /** Fails with all of these mistakes, if there are any. @throws {CliError} usage */
  refuse: (faults: readonly FileFault[]) => void
}

/** Larger files are refused: an organization's document has at most 2 MiB, its interfaces 40 MB. */
const MAX_BYTES = 64 * 1024 * 1024

/** @throws {CliError} usage, with every mistake of the file at once */
export async function readOrganizationFile(path: string): Promise<ReadOrganization> {
  const text = await readText(path)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, strict: true })
  const places = { path, document, lines }
  const broken = [...document.errors, ...document.warnings].map(({ message, pos: [offset] }) => {
    const [sentence = ""] = message.split(/ at line \d+/)
    return `${placeText(places, offset)}: ${sentence.replaceAll("\n", " ")}`
  })
  if (broken.length > 0) throw fault(path, broken)
  const value = toValue(path, document)
  const { data, error } = organizationFile.safeParse(value)
  const refuse = (faults: readonly FileFault[]) => {
    if (faults.length > 0)
      throw fault(
        path,
        faults.map((one) => lineOf(one, places)),
      )
  }
  if (error !== undefined) refuse(error.issues.flatMap((issue) => faultsOf(issue, value)))
  return { file: data as OrganizationFile, refuse }
}

/** The document of a file that exists, with its comments; undefined: there is none. @throws {CliError} usage */
export async function readDocument(path: string): Promise<Document | undefined> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined
    throw unreadable(path, cause)
  })
  if (text === undefined) return undefined
  const document = parseDocument(text, { strict: true })
  const [error] = document.errors
  if (error === undefined) return document
  throw new CliError(
    ExitCode.usage,
    `${path} is not YAML: ${error.message.split("\n")[0]}. It was not changed`,
  )
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause)
  })
  if (bytes.length <= MAX_BYTES) return bytes.toString("utf8")
  throw new CliError(ExitCode.usage, `${path} has ${bytes.length} bytes; at most ${MAX_BYTES} are read`)
}

function unreadable(path: string, cause: NodeJS.ErrnoException): CliError {
  return new CliError(ExitCode.usage, `${path} cannot be read (${cause.code}); name a file in YAML`, {
    cause,
  })
}

function toValue(path: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw new CliError(ExitCode.usage, `${path}: ${(cause as Error).message}`, { cause })
  }
}

type Places = { path: string; document: Document; lines: LineCounter }

function fault(path: string, lines: readonly string[]): CliError {
  const [first = "", ...others] = lines
  if (others.length === 0) return new CliError(ExitCode.usage, first)
  const sentence = `${path} has ${lines.length} mistakes (docs/organization-as-code.md):`
  return new CliError(ExitCode.usage, [sentence, ...lines.map((line) => `  ${line}`)])
}

/** `organization.yaml:12:5: users[1].userName must have at least 1 characters`. */
function lineOf({ path, sentence, atName }: FileFault, places: Places): string {
  const offset = offsetOf(places.document, path, atName === true)
  return `${placeText(places, offset)}: ${pathText(path) || "the file"} ${sentence}`
}

function placeText({ path, lines }: Places, offset: number): string {
  const { line, col } = lines.linePos(offset)
  return `${path}:${line}:${col}`
}

/** Offset of a member's value, or of its name; of the nearest object around it, if the member is missing. */
function offsetOf(document: Document, path: readonly PropertyKey[], atName: boolean): number {
  const name = atName ? nameNode(document, path) : undefined
  const node = name ?? (path.length === 0 ? document.contents : document.getIn(path, true))
  if (isNode(node) && node.range) return node.range[0]
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1), false)
}

function nameNode(document: Document, path: readonly PropertyKey[]): Node | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const items = isMap(parent) ? parent.items : []
  const pair = items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === path.at(-1))
  return isNode(pair?.key) ? pair.key : undefined
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown): FileFault[] {
  const { path } = issue
  if (issue.code === "unrecognized_keys") {
    const known = namesAt(organizationFile, path)
    return issue.keys.map((key) => ({
      path: [...path, key],
      sentence: unknownSentence(key, known),
      atName: true,
    }))
  }
  return [{ path, sentence: sentenceOf(issue, valueAt(value, path)) }]
}

function unknownSentence(key: string, known: readonly string[]): string {
  const meant = closestName(key, known)
  return `is unknown; ${meant === undefined ? `use ${known.join(", ")}` : `did you mean ${meant}?`}`
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
  if (issue.code === "too_small")
    return `must have at least ${String(issue.minimum)} items or be at least that`
  return issue.message
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `must be ${issue.values.map(String).join(" or ")}`
  if (issue.code === "invalid_type") return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`
  return "it is required"
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
