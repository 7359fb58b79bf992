import type { Command } from "commander"
import type { InboxOptions } from "../commands/dev-inbox.ts"
import type { DevOptions } from "../dev/start-dev-system.ts"
import type { CommandContext } from "./options.ts"

/** `dev` and `dev inbox`. */
export function addDevelopmentCommands(
  program: Command,
  { environment, settings, terminal }: CommandContext,
): void {
  const command = program
    .command("dev")
    .description("run a development system: all processes, the database and the dashboard")
    .option("--reset", "delete all data first")
    .option("--no-seed", "do not create organization Dev")
    .action(async (options: DevOptions) => {
      const { dev } = await import("../dev/dev.ts")
      await dev({ options, environment, terminal })
    })
  command
    .command("inbox")
    .description("print the e-mails and text messages of the development system, newest first")
    .option("--watch", "keep printing new messages")
    .option("--json", "print each message on one line")
    .action(async (options: InboxOptions) => {
      const { devInbox } = await import("../commands/dev-inbox.ts")
      const { layout } = await import("../dev/layout.ts")
      await devInbox(layout(settings().dataDirectory).outbox, options, terminal)
    })
}
