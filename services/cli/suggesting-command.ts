import { Command, type ErrorOptions } from "commander"
import { closestName } from "../../signer/core/closest-name.ts"
import { absentCommand } from "./absent-commands.ts"

/**
 * A command with examples, which suggests the closest subcommand. Commander does so only where a group has no action of its own: for others,
 * such as `dev`, it reports too many arguments.
 */
export class SuggestingCommand extends Command {
  /** Command lines without the program's name. */
  examples: readonly string[] = []

  override createCommand(name?: string): SuggestingCommand {
    return new SuggestingCommand(name)
  }

  subcommands(): readonly SuggestingCommand[] {
    return this.commands.filter((each) => each instanceof SuggestingCommand)
  }

  addExamples(examples: readonly string[]): this {
    this.examples = examples
    const title = examples.length === 1 ? "Example:" : "Examples:"
    const lines = examples.map((line) => `  $ countersign ${line}`)
    return this.addHelpText("after", `\n${title}\n${lines.join("\n")}`)
  }

  override error(message: string, options?: ErrorOptions): never {
    const isExcess = options?.code === "commander.excessArguments" && this.commands.length > 0
    const isUnknown = options?.code === "commander.unknownCommand"
    if (!(isExcess || isUnknown) || this.args[0] === undefined)
      return super.error(isUsage(options) ? `${message}\n${helpLine(this)}` : message, options)
    return super.error(`error: ${unknownCommand(this.args[0], this)}`, { code: "commander.unknownCommand" })
  }
}

/** The sentence about a name that no subcommand has: what to do instead, or the name that was probably meant. */
export function unknownCommand(name: string, command: Command): string {
  const absent = absentCommand([...pathOf(command), name])
  if (absent !== undefined) return absent
  const names = command.commands.flatMap((each) => [each.name(), ...each.aliases()])
  const meant = closestName(name, names)
  const advice = `${helpOf(command)} lists the commands`
  return meant === undefined
    ? `unknown command '${name}': ${advice}`
    : `unknown command '${name}'\n(Did you mean ${meant}?)\n${advice}`
}

/** Names of a command and those above it, without the program's. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()]
}

function helpOf(command: Command): string {
  return ["countersign", ...pathOf(command), "--help"].join(" ")
}

function helpLine(command: Command): string {
  return `${helpOf(command)} explains the command and its options`
}

/** True for a fault of the command line. Commander's sentence for it does not say what to do next. */
function isUsage({ code = "" }: ErrorOptions = {}): boolean {
  return /^commander\.(?:missing|optionMissing|unknownOption|excess|invalid|conflicting)/.test(code)
}
