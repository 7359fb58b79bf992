import { text } from "node:stream/consumers"
import type { Command } from "commander"
import { clientOf, findStampingKey, type StampOptions } from "../api-options.ts"
import type { ChangeOptions } from "../changes/change.ts"
import type { RejectOptions } from "../commands/reject.ts"
import { request, type RequestOptions } from "../commands/request.ts"
import { changes, type CommandContext, examples, stampingOf } from "./options.ts"

type Options = StampOptions & RequestOptions & { submit?: string; prove?: true }

/** `request` and `reject`. */
export function addRequestCommands(program: Command, { settings, terminal }: CommandContext): void {
  const sending = program
    .command("request <path> [body]")
    .description("stamp and send any request; body - for standard input")
    .option("--submit <type>", "send the body as the parameters of an activity of this type")
    .option("--prove", "request app proofs of that activity")
    .option("--curl", "print a curl command that sends the stamped request, and send nothing")
  examples(changes(sending), [
    "request whoami",
    `request create_wallet '{"walletName":"Savings","accounts":[]}' --submit create_wallet`,
    "request list_wallets --curl",
  ]).action(async (path: string, body: string | undefined, options: Options) => {
    const present = settings()
    const { key, organizationId } = await findStampingKey(options, present)
    const apiRequest = {
      path,
      body: body === "-" ? await text(process.stdin) : (body ?? "{}"),
      ...(organizationId !== undefined && { organizationId }),
      ...(options.submit !== undefined && { submitType: options.submit }),
      ...(options.prove && { prove: options.prove }),
    }
    const client = { ...clientOf(options, present), key }
    await request(apiRequest, options, { client, terminal, requestsFolder: present.requestsFolder })
  })

  const reject = program
    .command("reject [activity]")
    .description("reject a waiting activity, or all that match the given options")
    .option("--type <type...>", "activities of these types")
    .option("--by <userId>", "activities that this user submitted")
    .option("--older-than <hours>", "activities that were submitted before")
    .option("--all", "all waiting activities")
  examples(changes(reject), ["reject 9d41", "reject --older-than 12 --dry-run"]).action(
    async (name: string | undefined, options: StampOptions & RejectOptions & ChangeOptions) => {
      const stamping = await stampingOf(options, { settings, terminal })
      if (name !== undefined) {
        const { rejectNamed } = await import("../commands/vote.ts")
        return rejectNamed(name, options, stamping)
      }
      const { rejectWaiting } = await import("../commands/reject.ts")
      return rejectWaiting(options, stamping.client, stamping.organizationId, terminal)
    },
  )
}
