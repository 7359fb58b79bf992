import { closestName } from "../../../signer/core/closest-name.ts"
import { usage } from "../../terminal-client/exit.ts"
import { KINDS } from "../../terminal-client/names/kinds.ts"
import type { RequestMember } from "./member.ts"
import type { FieldOption } from "./resource.ts"

/** Values of the options of one command, by their names in commander. */
export type OptionValues = { readonly [name: string]: string | readonly string[] | boolean | undefined }

/** One option of a command, from a member of its request. */
export type CommandOption = {
  member: RequestMember
  given: FieldOption
  /** `--name`. */
  long: string
  /** The option in commander's syntax: `--name <text>`. */
  flags: string
  about: string
  isRequired: boolean
  isList: boolean
  isSwitch: boolean
}

type Manner = {
  /** Words that names of members begin with and options do not repeat. */
  strip: readonly string[]
  given?: FieldOption | undefined
  /** A boolean is written `true` or `false`, because it can also be left as it is. */
  isUpdate?: boolean
}

/** The option of a member; undefined: it is an object, which only a file can give. */
export function optionOf(
  member: RequestMember,
  { strip, given = {}, isUpdate = false }: Manner,
): CommandOption | undefined {
  if (member.form === "object" && given.read === undefined) return undefined
  const refers = given.refers ?? member.refers
  const isList = given.single === undefined && (member.list === true || given.read !== undefined)
  const isSwitch = member.form === "boolean" && !isUpdate
  const long = `--${given.flag ?? flagOf(member.name, strip, { isReference: refers !== undefined, isList })}`
  return {
    member: { ...member, ...(refers !== undefined && { refers }) },
    given,
    long,
    flags: isSwitch
      ? long
      : `${long} <${given.isSecret || given.isFile ? "file" : placeholderOf(member, refers !== undefined)}>`,
    about: aboutOf(member, given, isList),
    isRequired: member.required === true && member.mayBeEmpty !== true && given.fallback === undefined,
    isList,
    isSwitch,
  }
}

/** `add-user` of addUserIds: without the resource's name and Id, in the singular where it may be repeated. */
function flagOf(
  name: string,
  strip: readonly string[],
  { isReference, isList }: { isReference: boolean; isList: boolean },
): string {
  const own = isReference ? name.replace(/Ids?$/, "") : name
  const prefix = strip.find((word) => own.startsWith(word) && /^[A-Z]/.test(own.slice(word.length)))
  const rest = prefix === undefined ? own : own.slice(prefix.length)
  return kebab(isList ? rest.replace(/([^s])s$/, "$1") : rest)
}

export function kebab(name: string): string {
  return name.replace(/(?<=[a-z0-9])([A-Z])/g, "-$1").toLowerCase()
}

/** The name in commander of an option: `addUser` of `--add-user`. */
export function commanderName(long: string): string {
  return long.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function placeholderOf({ form, values, texts }: RequestMember, isReference: boolean): string {
  if (isReference) return "name"
  if (values !== undefined || texts !== undefined) return "word"
  if (form === "object") return "text"
  return form === "boolean" ? "true|false" : form
}

/** Most words that help and faults list. */
const MAX_WORDS = 16

function aboutOf(
  { about, values, texts, refers }: RequestMember,
  given: FieldOption,
  isList: boolean,
): string {
  const kind = given.refers ?? refers
  const sentence = given.about ?? (kind === undefined ? about : `${KINDS[kind].noun}, by name or id`)
  // A leading abbreviation keeps its capitals.
  const text = /^[A-Z][^A-Z]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence
  const words = given.read === undefined ? (texts ?? (values && wordsOf(values)) ?? []) : []
  const choice = words.length === 0 || words.length > MAX_WORDS ? "" : `: ${words.join(", ")}`
  return `${text}${choice}${isList ? "; repeatable" : ""}`
}

/** Words of an enumeration's values: `allow` of EFFECT_ALLOW. */
export function wordsOf(values: readonly string[]): string[] {
  const prefix = prefixOf(values)
  return values.map((name) => name.slice(prefix.length).toLowerCase().replaceAll("_", "-"))
}

/** The wire name that a word or a wire name stands for. @throws {CliError} usage */
export function valueOf(values: readonly string[], text: string, option: string): string {
  const name = text.toUpperCase().replaceAll("-", "_")
  const found = values.find((value) => value === name || value === `${prefixOf(values)}${name}`)
  if (found !== undefined) return found
  const words = wordsOf(values)
  const near = closestName(text.toLowerCase(), words)
  const all = words.length > MAX_WORDS ? "docs/api.md lists them" : `use ${words.join(", ")}`
  const advice = near === undefined ? all : `did you mean ${near}?`
  throw usage(`${option} ${text}: there is no such value; ${advice}`)
}

/** The longest common prefix of all names that ends in an underscore. For a single name: all but its last word. */
function prefixOf(names: readonly string[]): string {
  const words = (names[0] ?? "").split("_").slice(0, -1)
  while (words.length > 0 && !names.every((name) => name.startsWith(`${words.join("_")}_`))) words.pop()
  return words.length === 0 ? "" : `${words.join("_")}_`
}

/** The value of a text. @throws {CliError} usage */
export function readPlain({ form, values }: RequestMember, text: string, option: string): unknown {
  if (values !== undefined) return valueOf(values, text, option)
  if (form === "number") {
    if (/^-?\d{1,10}$/.test(text)) return Number(text)
    throw usage(`${option} ${text}: not a whole number`)
  }
  if (form !== "boolean") return text
  if (text === "true" || text === "false") return text === "true"
  throw usage(`${option} ${text}: write true or false`)
}
