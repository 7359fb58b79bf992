import type { Command } from "commander"
import type { ApiClient } from "../api-client.ts"
import { clientOf, findStampingKey, type StampOptions } from "../api-options.ts"
import { requireOrganization } from "../commands/request.ts"
import type { Settings } from "../settings.ts"
import type { Terminal } from "../terminal.ts"

/** What every group of commands gets. `settings` reads them when a command runs: --help needs none. */
export type CommandContext = {
  environment: NodeJS.ProcessEnv
  terminal: Terminal
  settings: () => Settings
}

/** Options of the commands that call an API. */
export function common(command: Command): Command {
  return command
    .option("--api <url>", "base URL of the API; by default the local one")
    .option("--keys-folder <directory>", "folder of the key files")
    .option("--json", "print the result on one line")
}

/** Options of the commands that stamp. */
export function as(command: Command): Command {
  return command
    .option("--as <name>", "stamp with this key of the keys folder (name or prefix)", "root")
    .option("--organization <id>", "organization id; by default that of the key")
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
