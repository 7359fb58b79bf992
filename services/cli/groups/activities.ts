import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { ListOptions } from "../commands/activity.ts"
import type { VoteOptions } from "../commands/vote.ts"
import { as, changes, type CommandContext, common, examples, stampingOf } from "./options.ts"

/** `approve` and `activity`. */
export function addActivityCommands(program: Command, context: CommandContext): void {
  const { environment, terminal } = context
  const approve = program
    .command("approve <activity>")
    .description("show what a waiting activity signs or changes, ask, and approve it")
    .option("--yes", "do not ask")
  examples(changes(approve), ["approve 9d41 --as bob", "approve 9d41 --as bob --yes --json"]).action(
    async (text: string, options: StampOptions & VoteOptions) => {
      const { approve: vote } = await import("../commands/vote.ts")
      await vote(text, options, await stampingOf(options, context))
    },
  )

  const activity = program
    .command("activity")
    .description("activities: requests with their votes and outcomes")
  const list = filters(
    activity.command("list").description("list activities, newest first"),
    "number of activities at most; by default 20",
  )
  examples(as(common(list)), ["activity list --status waiting"]).action(
    async (options: StampOptions & ListOptions) => {
      const { listRecent } = await import("../commands/activity.ts")
      await listRecent(options, await stampingOf(options, context))
    },
  )

  const show = activity
    .command("show <activity>")
    .description("show an activity as its stamped bytes say, its votes and its outcome")
  examples(as(common(show)), ["activity show 9d41"]).action(async (text: string, options: StampOptions) => {
    const { showActivity } = await import("../commands/activity.ts")
    await showActivity(text, options, await stampingOf(options, context))
  })

  const watch = filters(
    activity.command("watch").description("print activities as they arrive and change, until stopped"),
    "number of the newest activities to watch; by default 100",
  )
  examples(as(common(watch)), ["activity watch --json"]).action(
    async (options: StampOptions & ListOptions) => {
      const { watchActivities } = await import("../commands/activity.ts")
      const { onStopRequest } = await import("../dev/stop-request.ts")
      const stop = onStopRequest({ environment, log: terminal.log, onSecond: () => process.exit(1) })
      await watchActivities(options, await stampingOf(options, context), stop.signal).finally(stop.dispose)
    },
  )

  const explain = activity
    .command("explain <activity>")
    .description("say which policies decided an activity, and why")
  examples(as(common(explain)), ["activity explain 9d41"]).action(
    async (text: string, options: StampOptions) => {
      const { explainActivity } = await import("../commands/activity.ts")
      await explainActivity(text, options, await stampingOf(options, context))
    },
  )
}

/** Options that choose activities. */
function filters(command: Command, limit: string): Command {
  return command
    .option("--status <word>", "waiting, completed, failed or rejected")
    .option("--type <type>", "of this type, such as sign_raw_payload_v2")
    .option("--limit <number>", limit)
}
