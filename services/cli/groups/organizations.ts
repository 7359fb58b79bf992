import type { Command } from "commander"
import { generateApiKey } from "../api-key.ts"
import { type ApiOptions, clientOf, type StampOptions } from "../api-options.ts"
import type { NewOrganization } from "../commands/org-create.ts"
import { whoami } from "../commands/whoami.ts"
import { writeKey } from "../key-folder.ts"
import { printResult } from "../terminal.ts"
import { as, type CommandContext, common, stampingClient, subcommand } from "./options.ts"

/** `org create`, `key generate` and `whoami`. */
export function addOrganizationCommands(program: Command, { settings, terminal }: CommandContext): void {
  const org = subcommand(program, "org", "the organization")
  common(org.command("create <name>").description("create a top-level organization"))
    .requiredOption("--setup-code <code>", "setup code printed by `countersign-signer setup-code`")
    .requiredOption("--user-name <name>", "name of its first user, the only member of the root quorum")
    .option("--user-email <address>", "that user's e-mail address")
    .option("--api-public-key <hex>", "that user's API key; by default a new one is printed once")
    .option("--stamp-key <file>", "file of the private key that the code is bound to; - for standard input")
    .action(async (name: string, options: ApiOptions & Omit<NewOrganization, "name">) => {
      const { keysFolder, pinsFile } = settings()
      const place = { keysFolder: options.keysFolder ?? keysFolder, pinsFile, terminal }
      const { createOrganization } = await import("../commands/org-create.ts")
      const created = await createOrganization({ name, ...options }, clientOf(options, settings()), place)
      printResult(terminal, created, options)
    })

  const keys = subcommand(program, "key", "API keys: files of the keys folder, and credentials of users")
  common(keys.command("generate <name>").description("create a P-256 API key")).action(
    async (name: string, options: ApiOptions) => {
      const folder = options.keysFolder ?? settings().keysFolder
      printResult(terminal, await writeKey(folder, name, generateApiKey()), options)
    },
  )

  as(common(program.command("whoami").description("show the user and organization of a key"))).action(
    async (options: StampOptions) => {
      const { client, organizationId } = await stampingClient(options, settings())
      printResult(terminal, await whoami(client, organizationId), options)
    },
  )
}
