import type { Examples } from "../declarations/command.ts"
import type { NamedKey } from "../../terminal-client/key-folder.ts"
import type { Kind } from "../../terminal-client/names/kinds.ts"
import type { Directory } from "../../terminal-client/names/resolve.ts"
import { readText } from "../../terminal-client/files/text-file.ts"
import type { Json } from "../../terminal-client/json.ts"

/** Columns of a list by their headings: the member that each shows, or how it is made. */
export type Columns = { readonly [heading: string]: string | ((item: Json) => string) }

/** Reads the text of an option as a member of the parameters. */
export type FieldOption = {
  /** The option's name without dashes; by default the member's name. */
  flag?: string
  /** Help of the option, one sentence; by default the contract's comment. */
  about?: string
  /** The option names resources of this kind, and the member has their ids. */
  refers?: Kind
  /** Reads the texts of the option, which is then repeatable, unless it is `single`. */
  read?: (texts: readonly string[], context: ReadContext) => Promise<unknown>
  single?: true
  /** Text of the option if it is not given. */
  fallback?: string
  /** The option names a file with a secret; `-` stands for standard input. */
  isSecret?: true
  /** The option names a file whose text is the member. */
  isFile?: true
}

/** Context of readers of options. */
export type ReadContext = {
  keysFolder: string
  /** File of the pins to which secrets are sealed. */
  pinsFile: string
  organizationId: string
  /** The key that stamps. */
  key: NamedKey
  directory: Directory
  /** Members of the request that were read before. */
  members: Json
}

/** One command that submits an activity. */
export type ChangeCommand = {
  verb: string
  alias?: string
  /** Wire name of the activity's type. */
  type: string
  about: string
  examples: Examples
} & ChangeDetails

export type ChangeDetails = {
  /** List among the parameters. The command builds its only item. */
  within?: string
  /** Member that the command's argument gives; of a list, the arguments. By default the ids of the resource's kind. */
  argument?: string
  /** Members that lie beside the list: the user of new credentials. */
  beside?: readonly string[]
  /** Options by member, where reflection does not suffice. */
  options?: { readonly [member: string]: FieldOption }
  /** Values of members that the contract requires and the user may leave out. */
  defaults?: Json
  /** Members without an option. */
  omit?: readonly string[]
  /** Member that is the id of the stamping user, unless it is given. */
  sender?: string
  /** The argument names the organization in which the activity is submitted. */
  inOrganization?: true
  /** The request has API keys that are credentials afterwards: in the organization, or in the one that the result names. */
  hasApiKeys?: "organization" | "subOrganizationId"
}

/** One command that lists or shows resources. */
export type ShowCommand = {
  verb: "list" | "show"
  query: string
  /** Member of the reply. Empty: the list of the kind has the item that the argument names. */
  member: string
  about: string
  columns?: Columns
  /** The argument names a resource of its kind, or a sub-organization. */
  argument?: "kind" | "suborg"
  /** Things of the one that is shown: a page of them stands below its facts. */
  pages?: Pages
  /** Members of the request that have options. */
  options?: { readonly [member: string]: FieldOption }
  examples: Examples
}

/** A list of which one page is asked for. `cursor`: the member of an item after which the next page begins. */
export type Pages = { query: string; member: string; cursor: string; columns: Columns }

export type Resource = {
  name: string
  about: string
  /** Words that the names of members begin with and options do not repeat. */
  strip: readonly string[]
  /** Kind of the resources, where they have names. */
  kind?: Kind
  commands: readonly (ChangeCommand | ShowCommand)[]
}

export function isShow(command: ChangeCommand | ShowCommand): command is ShowCommand {
  return "query" in command
}

/**
 * A command that submits an activity. @param verb with a second name behind a bar: `update|set`
 * @param type without prefix
 */
export function change(
  verb: string,
  type: string,
  about: string,
  examples: Examples,
  details: ChangeDetails = {},
): ChangeCommand {
  const [name = "", alias] = verb.split("|")
  const whole = { verb: name, type: `ACTIVITY_TYPE_${type}`, about, examples, ...details }
  return alias === undefined ? whole : { ...whole, alias }
}

/** A command that prints a table. @param found query, and the path of the list in its reply: `list_users users` */
export function list(
  found: string,
  about: string,
  example: string,
  columns: Columns,
  options: ShowCommand["options"] = {},
): ShowCommand {
  const [query = "", member = ""] = found.split(" ")
  return { verb: "list", query, member, about, columns, options, examples: [example] }
}

/** A command that prints one resource. @param found query, and the path of the resource in its reply, if it is no list */
export function show(
  found: string,
  about: string,
  examples: Examples,
  details: Pick<ShowCommand, "argument" | "options" | "pages"> = { argument: "kind" },
): ShowCommand {
  const [query = "", member = ""] = found.split(" ")
  return { verb: "show", query, member, about, examples, ...details }
}

/** An option whose text is that of a file. */
export function fileOption(flag: string, about: string): FieldOption {
  const read: FieldOption["read"] = ([file = ""]) => readText(file, `--${flag}`)
  return { flag, about, single: true, isFile: true, read }
}
