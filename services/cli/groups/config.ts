import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { ApplyOptions, DiffOptions, Target } from "../commands/config.ts"
import { as, type CommandContext, collect, common, examples, stampingOf } from "./options.ts"

/** `config export`, `config diff` and `config apply`. */
export function addConfigCommands(program: Command, context: CommandContext): void {
  const config = program
    .command("config")
    .description("an organization as a file (docs/organization-as-code.md)")
  const target = async (options: StampOptions & { pins?: string }): Promise<Target> => {
    const stamping = await stampingOf(options, context)
    return { ...stamping, pinsFile: options.pins ?? context.settings().pinsFile }
  }
  const prune = "--prune"
  const deletes = "delete objects that the file does not list, in the sections that it has"

  as(
    common(
      config
        .command("export [file]")
        .description("print the organization as YAML, or bring a file up to date and keep its comments"),
    ),
  ).action(async (file: string | undefined, options: StampOptions) => {
    const { exportConfig } = await import("../commands/config.ts")
    await exportConfig(file, options, await target(options))
  })

  as(
    common(
      config
        .command("diff <file>")
        .description("print the changes that apply would make; exit 6 if there are any"),
    ),
  )
    .option(prune, deletes)
    .action(async (file: string, options: StampOptions & DiffOptions) => {
      const { diffConfig } = await import("../commands/config.ts")
      await diffConfig(file, options, await target(options))
    })

  examples(
    as(
      common(
        config
          .command("apply <file>")
          .description("make the organization as the file says; the same command continues after a stop"),
      ),
    ),
    [
      "config apply organization.yaml --dry-run",
      "config apply organization.yaml --client-secret x:app=secret.txt",
      "config apply organization.yaml --on-ramp-secret moonpay=secret.txt",
    ],
  )
    .option(prune, deletes)
    .option("--yes", "do not ask")
    .option("--dry-run", "print the plan, and send nothing")
    .option("--again", "send anew what was rejected within the last hour")
    .option(
      "--client-secret <client=file>",
      "file of the secret of a new OAuth 2.0 credential, as PROVIDER:CLIENT_ID=FILE; repeatable",
      collect,
    )
    .option(
      "--on-ramp-secret <provider=file>",
      "file of the secret API key of a new or changed on-ramp credential, as moonpay=FILE or moonpay-sandbox=FILE; repeatable",
      collect,
    )
    .option(
      "--on-ramp-private-key <provider=file>",
      "file of its private API key, as coinbase=FILE; repeatable",
      collect,
    )
    .option("--pins <file>", "pins of the trusted deployment; by default those of the profile")
    .action(async (file: string, options: StampOptions & ApplyOptions & { pins?: string }) => {
      const { applyConfig } = await import("../commands/config.ts")
      await applyConfig(file, options, await target(options))
    })
}
