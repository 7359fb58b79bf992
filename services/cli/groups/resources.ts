import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { ChangeOptions } from "../changes/change.ts"
import { type CommandOption, optionOf, type Values } from "../resources/fields.ts"
import { MEMBERS } from "../resources/members.ts"
import { type ChangeCommand, isShow, type Resource, type ShowCommand } from "../resources/resource.ts"
import { RESOURCES } from "../resources/table.ts"
import {
  as,
  changes,
  type CommandContext,
  collect,
  common,
  examples,
  stampingOf,
  subcommand,
} from "./options.ts"

/** The commands of every resource: create, list, show, update, delete, as the API has them. */
export function addResourceCommands(program: Command, context: CommandContext): void {
  for (const resource of RESOURCES) {
    const parent = subcommand(program, resource.name, resource.about)
    for (const command of resource.commands) {
      if (isShow(command)) addShow(parent, resource, command, context)
      else addChange(parent, resource, command, context)
    }
  }
}

function addChange(
  parent: Command,
  resource: Resource,
  command: ChangeCommand,
  context: CommandContext,
): void {
  const all = optionsOf(resource, command)
  const argument = all.find(({ member }) => member.name === command.argument)
  const takesName = argument !== undefined && argument.member.refers === undefined && !argument.isList
  // A name may also be given by its option, beside the others.
  const options = all.filter((option) => option !== argument || takesName)
  const added = parent
    .command(`${command.verb}${argumentOf(command, argument, takesName)}`)
    .description(command.about)
  if (command.alias !== undefined) added.alias(command.alias)
  for (const option of options) addOption(added, option)
  if (all.length > 0)
    added.option(
      "--file <file>",
      "file with the members of the request in YAML or JSON; options override it; - for standard input",
    )
  if (all.some(({ given }) => given.isSecret))
    added.option("--pins <file>", "pins of the trusted deployment; by default those of the profile")
  examples(changes(added), command.examples)
  added.action(async (...given: unknown[]) => {
    const [first, values] = given.length === 3 ? [given[0], given[1]] : [undefined, given[0]]
    const { changeResource } = await import("../commands/change-resource.ts")
    const own = values as Values & FileOptions & ChangeOptions
    await changeResource(
      { resource, command, options, argument, first: first as string | string[] | undefined },
      own,
      {
        stamping: await stampingOf(own, context),
        ...filesOf(own, context),
      },
    )
  })
}

type FileOptions = StampOptions & { pins?: string }

function filesOf({ keysFolder, pins }: FileOptions, { settings }: CommandContext) {
  const present = settings()
  return { keysFolder: keysFolder ?? present.keysFolder, pinsFile: pins ?? present.pinsFile }
}

function argumentOf(
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
function optionsOf({ strip }: Resource, command: ChangeCommand): CommandOption[] {
  const { omit = [], options = {}, verb } = command
  return (MEMBERS[command.type] ?? [])
    .filter(({ name }) => !omit.includes(name))
    .map((member) => optionOf(member, { strip, given: options[member.name], isUpdate: verb === "update" }))
    .filter((option) => option !== undefined)
}

function addOption(
  command: Command,
  { flags, about, isList, isSwitch }: CommandOption,
  isRequired = false,
): void {
  if (isRequired) command.requiredOption(flags, about)
  else if (isList && !isSwitch) command.option(flags, about, collect)
  else command.option(flags, about)
}

function addShow(parent: Command, { strip }: Resource, command: ShowCommand, context: CommandContext): void {
  const { verb, about, argument, options: given = {} } = command
  const options = (MEMBERS[command.query] ?? [])
    .filter(({ name }) => Object.hasOwn(given, name))
    .map((member) => optionOf(member, { strip, given: given[member.name] }))
    .filter((option) => option !== undefined)
  const added = parent.command(`${verb}${argument === undefined ? "" : " <name>"}`).description(about)
  for (const option of options) addOption(added, option, option.isRequired)
  examples(as(common(added)), command.examples)
  added.action(async (...words: unknown[]) => {
    const [name, values] = argument === undefined ? [undefined, words[0]] : [words[0], words[1]]
    const own = values as Values & FileOptions
    const { showResource } = await import("../commands/show-resource.ts")
    await showResource(
      { command, options, name: name as string | undefined },
      own,
      await stampingOf(own, context),
      filesOf(own, context),
    )
  })
}
