import { connect } from "node:net"
import { type Check, checkSecretFile, ok } from "../process/checks.ts"
import type { FetcherConfig } from "./config.ts"

/** Checks what the fetcher needs on this host, and whether it listens. */
export async function doctor(config: FetcherConfig): Promise<Check[]> {
  const { seedFile, notarizerPublicKey, delivery } = config
  const ways = [
    delivery.mail && "mail",
    delivery.sms && "text messages",
    delivery.outboxFile && "the outbox",
  ].filter(Boolean)
  return [
    ok("settings", "can be used"),
    checkSecretFile("seed", seedFile, "create it with countersign-fetcher init, or restore it"),
    ok(
      "signer",
      notarizerPublicKey === undefined
        ? "no key of it in these settings: no order is carried out"
        : "paired by these settings",
    ),
    ok("messages", ways.length === 0 ? "none can be sent: no code arrives" : `go out by ${ways.join(", ")}`),
    await running(config),
  ]
}

/** Only a socket of this host is tried: a TCP server asks for a certificate. */
async function running({ listen }: FetcherConfig): Promise<Check> {
  const name = "process"
  if (listen.kind === "tcp") return ok(name, `listens at ${listen.address}, if it runs; this was not tried`)
  const fault = await new Promise<string | undefined>((resolve) => {
    const socket = connect(listen.path)
    socket.once("connect", () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
  if (fault === undefined) return ok(name, `listens at ${listen.path}`)
  return {
    name,
    state: "DOWN",
    sentence: `nobody listens at ${listen.path} (${fault}): countersign-fetcher serve`,
  }
}
