import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { DeliveryFilter } from "../commands/webhook-deliveries.ts"
import type { EndpointOptions } from "../commands/webhook-endpoints.ts"
import type { ListenOptions } from "../commands/webhook-listen.ts"
import type { ChangeOptions } from "../changes/change.ts"
import { as, changes, type CommandContext, common, examples, stampingOf } from "./options.ts"

type Options = StampOptions & { json?: boolean }

/** `webhook`: endpoints, deliveries, and a receiver for development. */
export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhook = program.command("webhook").description("webhook endpoints, and deliveries to them")
  addEndpointCommands(webhook, context)
  addDeliveryCommands(webhook, context)
  addListenCommand(webhook, context)
}

const endpoints = () => import("../commands/webhook-endpoints.ts")
const deliveries = () => import("../commands/webhook-deliveries.ts")

/** Opens the context of the commands. */
function opener(context: CommandContext) {
  return async (options: Options) => ({
    ...(await stampingOf(options, context)),
    pinsFile: context.settings().pinsFile,
  })
}

function addEndpointCommands(webhook: Command, context: CommandContext): void {
  const open = opener(context)
  const read = (words: string, about: string) => as(common(webhook.command(words).description(about)))
  const write = (words: string, about: string) => changes(webhook.command(words).description(about))

  examples(write("create <url>", "add an endpoint that receives events"), [
    "webhook create https://hooks.example.com/events --name example",
  ])
    .option("--name <name>", "name of the endpoint; by default its URL")
    .option("--event <type...>", "kinds of events; by default ACTIVITY_UPDATES")
    .action(async (url: string, options: Options & EndpointOptions) =>
      (await endpoints()).createEndpoint(url, options, await open(options)),
    )
  read("list", "list the endpoints").action(async (options: Options) =>
    (await endpoints()).listEndpoints(options, await open(options)),
  )
  read("show <endpoint>", "show an endpoint: id, prefix of the id, or name").action(
    async (endpoint: string, options: Options) =>
      (await endpoints()).showEndpoint(endpoint, options, await open(options)),
  )
  examples(write("update <endpoint>", "change, pause or resume an endpoint"), [
    "webhook update example --pause",
    "webhook update example --url https://hooks.example.com/new",
  ])
    .option("--url <url>", "new URL")
    .option("--name <name>", "new name")
    .option("--pause", "send nothing until it is resumed; events wait")
    .option("--resume", "send again")
    .action(async (endpoint: string, options: Options & EndpointOptions) =>
      (await endpoints()).updateEndpoint(endpoint, options, await open(options)),
    )
  examples(write("delete <endpoint>", "delete an endpoint; its waiting deliveries become dead"), [
    "webhook delete example",
  ]).action(async (endpoint: string, options: Options & ChangeOptions) =>
    (await endpoints()).deleteEndpoint(endpoint, options, await open(options)),
  )
}

function addDeliveryCommands(webhook: Command, context: CommandContext): void {
  const open = opener(context)
  const read = (words: string, about: string) => as(common(webhook.command(words).description(about)))
  const write = (words: string, about: string) => changes(webhook.command(words).description(about))

  read("deliveries [endpoint]", "list deliveries, newest first")
    .option("--status <status...>", "PENDING, DELIVERED or DEAD")
    .option("--event <type...>", "kinds of events")
    .option("--limit <number>", "deliveries to list, 1 to 100", "10")
    .action(async (endpoint: string | undefined, options: Options & DeliveryFilter) =>
      (await deliveries()).listDeliveries(endpoint, options, await open(options)),
    )
  read("delivery <id>", "show a delivery with its body and its attempts").action(
    async (id: string, options: Options) =>
      (await deliveries()).showDelivery(id, options, await open(options)),
  )
  examples(write("redeliver <endpoint> [deliveries...]", "send deliveries to an endpoint again"), [
    "webhook redeliver example --all-dead",
  ])
    .option("--all-dead", "all dead deliveries of the endpoint, up to 10,000")
    .action(async (endpoint: string, ids: string[], options: Options & ChangeOptions & { allDead?: true }) =>
      (await deliveries()).redeliver(endpoint, ids, options, await open(options)),
    )
  examples(write("test <endpoint>", "send a test event to an endpoint, and wait for its answer"), [
    "webhook test example",
  ]).action(async (endpoint: string, options: Options & ChangeOptions) =>
    (await deliveries()).testEndpoint(endpoint, options, await open(options)),
  )
}

function addListenCommand(webhook: Command, context: CommandContext): void {
  const open = opener(context)
  as(
    common(
      webhook
        .command("listen")
        .description(
          "receive events on this host, verify and print them, until it is stopped; for development",
        ),
    ),
  )
    .option("--forward-to <url>", "forward each verified event to this URL, and return its answer")
    .option("--port <number>", "port to listen on; by default a free one")
    .option("--event <type...>", "kinds of events; by default ACTIVITY_UPDATES")
    .action(async (options: Options & ListenOptions) => {
      const { listen } = await import("../commands/webhook-listen.ts")
      const stop = new AbortController()
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
      await listen(options, await open(options), stop.signal)
    })
}
