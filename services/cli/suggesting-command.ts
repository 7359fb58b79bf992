import { Command, type ErrorOptions } from "commander"
import { closestName } from "../../signer/core/closest-name.ts"

/**
 * A command that suggests the closest subcommand. Commander does so only where a group has no action of its own: for others,
 * such as `dev`, it speaks of too many arguments.
 */
export class SuggestingCommand extends Command {
  override createCommand(name?: string): SuggestingCommand {
    return new SuggestingCommand(name)
  }

  override error(message: string, options?: ErrorOptions): never {
    const isExcess = options?.code === "commander.excessArguments" && this.commands.length > 0
    if (!isExcess || this.args[0] === undefined) return super.error(message, options)
    return super.error(`error: ${unknownCommand(this.args[0], this)}`, { code: "commander.unknownCommand" })
  }
}

/** The sentence about a name that no subcommand has, as commander writes it. */
export function unknownCommand(name: string, { commands }: Command): string {
  const meant = closestName(
    name,
    commands.map((each) => each.name()),
  )
  return `unknown command '${name}'${meant === undefined ? "" : `\n(Did you mean ${meant}?)`}`
}
