import { text } from "node:stream/consumers"
import type { Command } from "commander"
import { clientOf, findStampingKey, type StampOptions } from "../api-options.ts"
import type { RejectOptions } from "../commands/reject.ts"
import { request } from "../commands/request.ts"
import { as, type CommandContext, common, stampingClient } from "./options.ts"

type RequestOptions = StampOptions & { submit?: string; prove?: true }

/** `request` and `reject`. */
export function addRequestCommands(program: Command, { settings, terminal }: CommandContext): void {
  as(
    common(
      program
        .command("request <path> [body]")
        .description("stamp and send any request; body - for standard input"),
    ),
  )
    .option("--submit <type>", "send the body as the parameters of an activity of this type")
    .option("--prove", "request app proofs of that activity")
    .action(async (path: string, body: string | undefined, options: RequestOptions) => {
      const { key, organizationId } = await findStampingKey(options, settings())
      const order = {
        path,
        body: body === "-" ? await text(process.stdin) : (body ?? "{}"),
        ...(organizationId !== undefined && { organizationId }),
        ...(options.submit !== undefined && { submitType: options.submit }),
        ...(options.prove && { prove: options.prove }),
      }
      await request(order, { ...clientOf(options, settings()), key }, options, terminal)
    })

  as(
    common(
      program.command("reject").description("reject the waiting activities that match all given options"),
    ),
  )
    .option("--type <type...>", "activities of these types")
    .option("--by <userId>", "activities that this user submitted")
    .option("--older-than <hours>", "activities that were submitted before")
    .option("--all", "all waiting activities")
    .option("--dry-run", "print what would be rejected, and reject nothing")
    .action(async (options: StampOptions & RejectOptions) => {
      const { client, organizationId } = await stampingClient(options, settings())
      const { rejectWaiting } = await import("../commands/reject.ts")
      await rejectWaiting(options, client, organizationId, terminal)
    })
}
