import { clientOf } from "../api-options.ts"
import type { NewOrganization } from "../commands/org-create.ts"
import { printResult } from "../../terminal-client/terminal.ts"
import { command, type Declaration, DRY_RUN } from "./command.ts"

/** `org create`, `key generate` and `whoami`. */
export const organizations: readonly Declaration[] = [
  command<Omit<NewOrganization, "name"> & { dryRun?: boolean }, [name: string]>({
    words: "org create <name>",
    about: "create a top-level organization",
    options: [
      ["--setup-code <code>", "setup code printed by `countersign-signer setup-code`", { required: true }],
      [
        "--user-name <name>",
        "name of its first user, the only member of the root quorum",
        { required: true },
      ],
      ["--user-email <address>", "that user's e-mail address"],
      ["--api-public-key <hex>", "that user's API key; by default a new one is printed once"],
      ["--stamp-key <file>", "file of the private key that the code is bound to; - for standard input"],
      DRY_RUN,
    ],
    shared: "call",
    examples: ["org create Acme --setup-code CODE --user-name root --user-email root@example.com"],
    run: async ({ options: { dryRun, ...options }, settings, terminal }, name) => {
      const { keysFolder, pinsFile } = settings()
      const place = { keysFolder: options.keysFolder ?? keysFolder, pinsFile, terminal }
      const client = clientOf(options, settings())
      const { createOrganization, previewOrganization } = await import("../commands/org-create.ts")
      if (dryRun) return previewOrganization({ name, ...options }, client, place)
      printResult(terminal, await createOrganization({ name, ...options }, client, place), options)
    },
  }),
  command<object, [name: string]>({
    words: "key generate <name>",
    about: "create a P-256 API key",
    shared: "call",
    examples: ["key generate carol"],
    run: async ({ options, settings, terminal }, name) => {
      const folder = options.keysFolder ?? settings().keysFolder
      const { generateApiKey } = await import("../../terminal-client/api-key.ts")
      const { writeKey } = await import("../../terminal-client/key-folder.ts")
      printResult(terminal, await writeKey(folder, name, generateApiKey()), options)
    },
  }),
  command({
    words: "whoami",
    about: "show the user and organization of a key",
    shared: "stamp",
    examples: ["whoami --as alice"],
    run: async ({ options, stamping, terminal }) => {
      const { whoami } = await import("../../terminal-client/whoami.ts")
      printResult(terminal, await whoami(await stamping()), options)
    },
  }),
]
