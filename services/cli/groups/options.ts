import type { Command } from "commander"
import type { ApiClient } from "../api-client.ts"
import { clientOf, findStampingKey, type StampOptions } from "../api-options.ts"
import { requireOrganization } from "../commands/request.ts"
import type { Reviewing } from "../changes/stamping.ts"
import type { Settings } from "../settings.ts"
import type { Terminal } from "../terminal.ts"

/** Context of every group of commands. `settings` are read when a command runs: --help needs none. */
export type CommandContext = {
  environment: NodeJS.ProcessEnv
  terminal: Terminal
  settings: () => Settings
}

/** Options of the commands that call an API. */
export function common(command: Command): Command {
  return command
    .optionsGroup("Common options:")
    .option("--api <url>", "base URL of the API; by default the local one")
    .option("--keys-folder <directory>", "folder of the key files")
    .option("--profile <name>", "profile; by default the active one (countersign profile list)")
    .option("--json", "print the result on one line")
}

/** Options of the commands that stamp. */
export function as(command: Command): Command {
  return command
    .option("--as <name>", "stamp with this key of the keys folder (name or prefix); by default root")
    .option("--organization <id>", "organization id; by default that of the profile or key")
}

/** The API of the options, with their stamping key, and its organization. @throws {CliError} usage */
export async function stampingClient(
  options: StampOptions,
  settings: Settings,
): Promise<{ client: ApiClient; organizationId: string }> {
  const { key, organizationId } = await findStampingKey(options, settings)
  const client = { ...clientOf(options, settings), key }
  return { client, organizationId: requireOrganization(organizationId) }
}

/** Options of the commands that change something. */
export function changes(command: Command): Command {
  return as(common(command))
    .optionsGroup("Options of changes:")
    .option("--dry-run", "print what would be stamped, and send nothing")
    .option("--again", "stamp a new request, even if an earlier one has no outcome yet")
}

/** Context of the commands that change something. @throws {CliError} usage */
export async function stampingOf(
  options: StampOptions,
  { settings, terminal }: Pick<CommandContext, "settings" | "terminal">,
): Promise<Reviewing> {
  const present = settings()
  const { key, organizationId } = await findStampingKey(options, present)
  return {
    client: { ...clientOf(options, present), key },
    organizationId: requireOrganization(organizationId),
    terminal,
    requestsFolder: present.requestsFolder,
    pinsFile: present.pinsFile,
  }
}

/** Examples at the end of a command's help. Each is a command line without the program's name. */
export function examples(command: Command, lines: readonly string[]): Command {
  const title = lines.length === 1 ? "Example:" : "Examples:"
  return command.addHelpText(
    "after",
    `\n${title}\n${lines.map((line) => `  $ countersign ${line}`).join("\n")}`,
  )
}

/** The command of this name below another; new if there is none yet. */
export function subcommand(program: Command, name: string, about: string): Command {
  return program.commands.find((each) => each.name() === name) ?? program.command(name).description(about)
}

/** Values of an option that can be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
