import type { Kind } from "../../terminal-client/names/kinds.ts"
import type { ChangeOptions } from "../../terminal-client/changes/change.ts"
import { type CommandOption, optionOf, type OptionValues } from "../resources/fields.ts"
import { MEMBERS } from "../resources/members.ts"
import {
  type ChangeCommand,
  isShow,
  type Pages,
  type Resource,
  type ShowCommand,
} from "../resources/resource.ts"
import { RESOURCES } from "../resources/table.ts"
import { command, type Declaration, type OptionDeclaration, PINS } from "./command.ts"

const FILE: OptionDeclaration = [
  "--file <file>",
  "file with the members of the request in YAML or JSON; options override it; - for standard input",
]

/** The commands of every resource: create, list, show, update, delete, as the API has them. */
export const resources: readonly Declaration[] = RESOURCES.flatMap((resource) =>
  resource.commands.map((own) => (isShow(own) ? showing(resource, own) : changing(resource, own))),
)

/** Sentences about the resources, by their names. */
export const RESOURCE_GROUPS: Readonly<Record<string, string>> = Object.fromEntries(
  RESOURCES.map(({ name, about }) => [name, about]),
)

function changing(resource: Resource, own: ChangeCommand): Declaration {
  const { verb, about, examples, alias } = own
  const all = optionsOf(resource, own)
  const argument = argumentOf(resource.kind, own, all)
  const takesName = argument !== undefined && argument.member.refers === undefined && !argument.isList
  // A name may also be given by its option, beside the others.
  const options = all.filter((option) => option !== argument || takesName)
  return command<OptionValues & ChangeOptions, [first?: string | string[]]>({
    words: `${resource.name} ${verb}${argumentText(own, argument, takesName)}`,
    ...(alias !== undefined && { alias }),
    about,
    options: [
      ...options.map(
        ({ flags, about: sentence, isList, isSwitch }): OptionDeclaration => [
          flags,
          sentence,
          { repeatable: isList && !isSwitch },
        ],
      ),
      ...(all.length > 0 ? [FILE] : []),
      ...(all.some(({ given }) => given.isSecret) ? [PINS] : []),
    ],
    shared: "change",
    examples,
    run: async ({ options: values, stamping }, first) => {
      const { changeResource } = await import("../commands/change-resource.ts")
      await changeResource({ resource, command: own, options, argument, first }, values, await stamping())
    },
  })
}

/** The member that the argument gives: by default that with ids of the resource's kind. */
function argumentOf(
  kind: Kind | undefined,
  { argument, verb, inOrganization }: ChangeCommand,
  all: readonly CommandOption[],
): CommandOption | undefined {
  if (argument !== undefined) return all.find(({ member }) => member.name === argument)
  if (kind === undefined || inOrganization || verb === "create") return undefined
  return all.find(({ member }) => member.refers === kind && member.required)
}

function argumentText(
  { inOrganization }: ChangeCommand,
  argument: CommandOption | undefined,
  takesName: boolean,
): string {
  if (inOrganization) return " <organization>"
  if (argument === undefined) return ""
  if (takesName) return " [name]"
  return argument.isList ? " <names...>" : " <name>"
}

/** Options of the members of a request. */
function optionsOf(
  { strip }: Resource,
  { type, omit = [], options = {}, verb }: ChangeCommand,
): CommandOption[] {
  return (MEMBERS[type] ?? [])
    .filter(({ name }) => !omit.includes(name))
    .map((member) => optionOf(member, { strip, given: options[member.name], isUpdate: verb === "update" }))
    .filter((option) => option !== undefined)
}

function pageOptions({ member }: Pages): readonly OptionDeclaration[] {
  return [
    ["--limit <number>", `${member} of a page, 1 to 100; by default 20`],
    ["--after <id>", "begin after this id, the last of the page before"],
  ]
}

function showing({ name: resource, strip, kind }: Resource, own: ShowCommand): Declaration {
  const { verb, about, argument, options: given = {}, examples, pages } = own
  const members = MEMBERS[own.query] ?? []
  const options = members
    .filter(({ name }) => Object.hasOwn(given, name))
    .map((member) => optionOf(member, { strip, given: given[member.name] }))
    .filter((option) => option !== undefined)
  const idMember = members.find(({ refers, required }) => refers === kind && required)?.name
  return command<OptionValues, [name?: string]>({
    words: `${resource} ${verb}${argument === undefined ? "" : " <name>"}`,
    about,
    options: [
      ...options.map(
        ({ flags, about: sentence, isRequired }): OptionDeclaration => [
          flags,
          sentence,
          { required: isRequired },
        ],
      ),
      ...(pages === undefined ? [] : pageOptions(pages)),
    ],
    shared: "stamp",
    examples,
    run: async ({ options: values, stamping }, name) => {
      const { showResource } = await import("../commands/show-resource.ts")
      await showResource({ command: own, kind, idMember, options, name }, values, await stamping())
    },
  })
}
