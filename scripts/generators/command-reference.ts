import type { Argument, Option } from "commander"
import { wholeProgram } from "../../services/cli/program.ts"
import type { SuggestingCommand } from "../../services/cli/suggesting-command.ts"

/** Every command of `countersign`, from the program itself: what it does, its arguments, its own options and its examples. */
export async function commandReference(): Promise<string> {
  return sectionsOf(await silentProgram(), "countersign").join("\n\n")
}

/** All commands, of which none runs. */
export function silentProgram(): Promise<SuggestingCommand> {
  return wholeProgram({ environment: {}, terminal: { print: () => undefined, log: () => undefined } })
}

function sectionsOf(parent: SuggestingCommand, path: string): string[] {
  return parent
    .subcommands()
    .toSorted((a, b) => (a.name() < b.name() ? -1 : 1))
    .flatMap((command) => {
      const name = `${path} ${command.name()}`
      const own =
        command.commands.length === 0 || command.registeredArguments.length > 0 || hasOwnOptions(command)
      return [...(own ? [sectionOf(command, name)] : []), ...sectionsOf(command, name)]
    })
}

/** Options that many commands share have one section of their own. */
const SHARED = new Set([
  "--api",
  "--keys-folder",
  "--profile",
  "--json",
  "--as",
  "--organization",
  "--dry-run",
  "--again",
])

function hasOwnOptions({ options }: SuggestingCommand): boolean {
  return options.some(({ long }) => !SHARED.has(long ?? ""))
}

function sectionOf(command: SuggestingCommand, name: string): string {
  const words = command.registeredArguments.map(argumentText).join(" ")
  const alias = command.alias()
  const also = alias === undefined ? "" : ` Also \`${name.replace(/ \S+$/, "")} ${alias}\`.`
  const options = command.options.filter(({ long }) => !SHARED.has(long ?? "")).map(optionLine)
  const shared = command.options.filter(({ long }) => SHARED.has(long ?? "")).map(({ long }) => `\`${long}\``)
  const examples = command.examples.map((line) => `- example: \`countersign ${line}\``)
  const lines = [...options, ...(shared.length === 0 ? [] : [`- shared: ${shared.join(", ")}`]), ...examples]
  const usage = `\`${[name, words].filter((word) => word !== "").join(" ")}\``
  return `### ${name.replace("countersign ", "")}\n\n${usage}: ${command.description()}.${also}\n\n${lines.join("\n")}`.trimEnd()
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`
  return argument.required ? `<${name}>` : `[${name}]`
}

function optionLine({ flags, description }: Option): string {
  return `- \`${flags}\`: ${description}`
}
