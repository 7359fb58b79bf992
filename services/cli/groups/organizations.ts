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
    .option("--dry-run", "print what would be stamped, and send nothing")
    .action(
      async (
        name: string,
        { dryRun, ...options }: ApiOptions & Omit<NewOrganization, "name"> & { dryRun?: boolean },
      ) => {
        const { keysFolder, pinsFile } = settings()
        const place = { keysFolder: options.keysFolder ?? keysFolder, pinsFile, terminal }
        const client = clientOf(options, settings())
        const { createOrganization, previewOrganization } = await import("../commands/org-create.ts")
        if (dryRun) return previewOrganization({ name, ...options }, client, place)
        printResult(terminal, await createOrganization({ name, ...options }, client, place), options)
      },
    )

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
