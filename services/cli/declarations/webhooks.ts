import type { ChangeOptions } from "../changes/change.ts"
import type { DeliveryFilter } from "../commands/webhook-deliveries.ts"
import type { EndpointOptions } from "../commands/webhook-endpoints.ts"
import type { ListenOptions } from "../commands/webhook-listen.ts"
import { command, type Declaration, type OptionDeclaration } from "./command.ts"

const endpoints = () => import("../commands/webhook-endpoints.ts")
const deliveries = () => import("../commands/webhook-deliveries.ts")

const EVENTS: OptionDeclaration = ["--event <type...>", "kinds of events; by default ACTIVITY_UPDATES"]

/** `webhook`: endpoints, deliveries, and a receiver for development. */
export const webhooks: readonly Declaration[] = [
  command<EndpointOptions, [url: string]>({
    words: "webhook create <url>",
    about: "add an endpoint that receives events",
    options: [["--name <name>", "name of the endpoint; by default its URL"], EVENTS],
    shared: "change",
    examples: ["webhook create https://hooks.example.com/events --name example"],
    run: async ({ options, stamping }, url) =>
      (await endpoints()).createEndpoint(url, options, await stamping()),
  }),
  command({
    words: "webhook list",
    about: "list the endpoints",
    shared: "stamp",
    run: async ({ options, stamping }) => (await endpoints()).listEndpoints(options, await stamping()),
  }),
  command<object, [endpoint: string]>({
    words: "webhook show <endpoint>",
    about: "show an endpoint: id, prefix of the id, or name",
    shared: "stamp",
    run: async ({ options, stamping }, endpoint) =>
      (await endpoints()).showEndpoint(endpoint, options, await stamping()),
  }),
  command<EndpointOptions, [endpoint: string]>({
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
    run: async ({ options, stamping }, endpoint) =>
      (await endpoints()).updateEndpoint(endpoint, options, await stamping()),
  }),
  command<ChangeOptions, [endpoint: string]>({
    words: "webhook delete <endpoint>",
    about: "delete an endpoint; its waiting deliveries become dead",
    shared: "change",
    examples: ["webhook delete example"],
    run: async ({ options, stamping }, endpoint) =>
      (await endpoints()).deleteEndpoint(endpoint, options, await stamping()),
  }),
  command<DeliveryFilter, [endpoint?: string]>({
    words: "webhook deliveries [endpoint]",
    about: "list deliveries, newest first",
    options: [
      ["--status <status...>", "PENDING, DELIVERED or DEAD"],
      ["--event <type...>", "kinds of events"],
      ["--limit <number>", "deliveries to list, 1 to 100", { fallback: "10" }],
    ],
    shared: "stamp",
    run: async ({ options, stamping }, endpoint) =>
      (await deliveries()).listDeliveries(endpoint, options, await stamping()),
  }),
  command<object, [id: string]>({
    words: "webhook delivery <id>",
    about: "show a delivery with its body and its attempts",
    shared: "stamp",
    run: async ({ options, stamping }, id) =>
      (await deliveries()).showDelivery(id, options, await stamping()),
  }),
  command<ChangeOptions & { allDead?: true }, [endpoint: string, ids: string[]]>({
    words: "webhook redeliver <endpoint> [deliveries...]",
    about: "send deliveries to an endpoint again",
    options: [["--all-dead", "all dead deliveries of the endpoint, up to 10,000"]],
    shared: "change",
    examples: ["webhook redeliver example --all-dead"],
    run: async ({ options, stamping }, endpoint, ids) =>
      (await deliveries()).redeliver(endpoint, ids, options, await stamping()),
  }),
  command<ChangeOptions, [endpoint: string]>({
    words: "webhook test <endpoint>",
    about: "send a test event to an endpoint, and wait for its answer",
    shared: "change",
    examples: ["webhook test example"],
    run: async ({ options, stamping }, endpoint) =>
      (await deliveries()).testEndpoint(endpoint, options, await stamping()),
  }),
  command<ListenOptions>({
    words: "webhook listen",
    about: "receive events on this host, verify and print them, until it is stopped; for development",
    options: [
      ["--forward-to <url>", "forward each verified event to this URL, and return its answer"],
      ["--port <number>", "port to listen on; by default a free one"],
      EVENTS,
    ],
    shared: "stamp",
    run: async ({ options, stamping }) => {
      const { listen } = await import("../commands/webhook-listen.ts")
      const stop = new AbortController()
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
      await listen(options, await stamping(), stop.signal)
    },
  }),
]
