import type { WebhookListenOptions } from "../commands/webhook-listen.ts"
import { command, type Declaration, type OptionDeclaration, stamped } from "./command.ts"

const endpoints = () => import("../commands/webhook-endpoints.ts")
const deliveries = () => import("../commands/webhook-deliveries.ts")

const EVENTS: OptionDeclaration = ["--event <type...>", "kinds of events; by default ACTIVITY_UPDATES"]

/** `webhook`: endpoints, deliveries, and a receiver for development. */
export const webhooks: readonly Declaration[] = [
  command({
    words: "webhook create <url>",
    about: "add an endpoint that receives events",
    options: [
      ["--name <name>", "name of the endpoint; by default its URL"],
      EVENTS,
      [
        "--address <account...>",
        "accounts whose balances are followed, such as eip155:1:0x…; for balance_confirmed_updates and balance_finalized_updates",
      ],
    ],
    shared: "change",
    examples: [
      "webhook create https://hooks.example.com/events --name example",
      "webhook create https://hooks.example.com/balances --event balance_finalized_updates --address eip155:1:0x000000000000000000000000000000000000dEaD",
    ],
    run: stamped(async () => (await endpoints()).createEndpoint),
  }),
  command({
    words: "webhook list",
    about: "list the endpoints",
    shared: "stamp",
    examples: ["webhook list"],
    run: stamped(async () => (await endpoints()).listEndpoints),
  }),
  command({
    words: "webhook show <endpoint>",
    about: "show an endpoint: id, prefix of the id, or name",
    shared: "stamp",
    examples: ["webhook show example"],
    run: stamped(async () => (await endpoints()).showEndpoint),
  }),
  command({
    words: "webhook update <endpoint>",
    about: "change, pause or resume an endpoint",
    options: [
      ["--url <url>", "new URL"],
      ["--name <name>", "new name"],
      ["--pause", "send nothing until it is resumed; events wait"],
      ["--resume", "send again"],
    ],
    shared: "change",
    examples: [
      "webhook update example --pause",
      "webhook update example --url https://hooks.example.com/new",
    ],
    run: stamped(async () => (await endpoints()).updateEndpoint),
  }),
  command({
    words: "webhook delete <endpoint>",
    about: "delete an endpoint; its waiting deliveries become dead",
    shared: "change",
    examples: ["webhook delete example"],
    run: stamped(async () => (await endpoints()).deleteEndpoint),
  }),
  command({
    words: "webhook deliveries [endpoint]",
    about: "list deliveries, newest first",
    options: [
      ["--status <status...>", "PENDING, DELIVERED or DEAD"],
      ["--event <type...>", "kinds of events"],
      ["--limit <number>", "deliveries to list, 1 to 100", { fallback: "10" }],
    ],
    shared: "stamp",
    examples: ["webhook deliveries example --status DEAD"],
    run: stamped(async () => (await deliveries()).listDeliveries),
  }),
  command({
    words: "webhook delivery <id>",
    about: "show a delivery with its body and its attempts",
    shared: "stamp",
    examples: ["webhook delivery 019b76da-a800-7000-8000-000000000001"],
    run: stamped(async () => (await deliveries()).showDelivery),
  }),
  command({
    words: "webhook redeliver <endpoint> [deliveries...]",
    about: "send deliveries to an endpoint again",
    options: [["--all-dead", "all dead deliveries of the endpoint, up to 10,000"]],
    shared: "change",
    examples: ["webhook redeliver example --all-dead"],
    run: stamped(async () => (await deliveries()).redeliver),
  }),
  command({
    words: "webhook test <endpoint>",
    about: "send a test event to an endpoint, and wait for its answer",
    shared: "change",
    examples: ["webhook test example"],
    run: stamped(async () => (await deliveries()).testEndpoint),
  }),
  command<WebhookListenOptions>({
    words: "webhook listen",
    about: "receive events on this host, verify and print them, until it is stopped; for development",
    options: [
      ["--forward-to <url>", "forward each verified event to this URL, and return its answer"],
      ["--port <number>", "port to listen on; by default a free one"],
      EVENTS,
    ],
    shared: "stamp",
    examples: ["webhook listen --forward-to http://localhost:3000/events"],
    run: async ({ options, stamping }) => {
      const { listen } = await import("../commands/webhook-listen.ts")
      const stop = new AbortController()
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
      await listen(options, await stamping(), stop.signal)
    },
  }),
]
