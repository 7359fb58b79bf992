import { connect } from "node:net"
import { type Check, ok, warn } from "../core/checks.ts"
import { counted } from "../core/counted.ts"
import { checkCertificate } from "../process/check-certificate.ts"
import { faultsOf } from "../core/settings/settings.ts"
import { readKnownLogs } from "../process/known-logs.ts"
import { checkSecretFile } from "../process/secret-file.ts"
import { wordsOfKey } from "../core/crypto/key-words.ts"
import type { FetcherConfig } from "./config.ts"

/** Checks what the fetcher needs on this host, and whether it listens. */
export async function doctor(config: FetcherConfig): Promise<Check[]> {
  const { seedFile, notarizerPublicKey, delivery } = config
  const channels = [
    delivery.mail && "mail",
    delivery.sms && "text messages",
    delivery.outboxFile && "the outbox",
  ].filter(Boolean)
  return [
    ok("settings", "can be used"),
    checkSecretFile("seed", seedFile, "create it with countersign-fetcher init, or restore it"),
    notarizerPublicKey === undefined
      ? warn(
          "signer",
          "no key of a signer in these settings, so every order is refused: set COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY",
        )
      : ok(
          "signer",
          `paired by these settings with the notarizer of words ${wordsOfKey(notarizerPublicKey)}`,
        ),
    channels.length === 0
      ? warn("messages", "none can be sent, so no code arrives: see docs/OPERATIONS.md")
      : ok("messages", `sent by ${channels.join(", ")}`),
    ...checkWitness(config),
    ...checkCertificate(config.listen, "countersign-fetcher join HOST:PORT --renew"),
    await running(config),
  ]
}

function checkWitness({ witness }: FetcherConfig): Check[] {
  if (witness === undefined) return []
  const { logsFile, headsFile } = witness
  const read = () => readKnownLogs(logsFile, "COUNTERSIGN_FETCHER_WITNESS_LOGS_FILE")
  const faults = faultsOf(read)
  return [
    checkSecretFile("heads", headsFile, "make it with countersign-fetcher witness-key --init"),
    faults.length === 0
      ? ok("logs", `${counted(read().length, "key")} of logs in ${logsFile}, which it cosigns`)
      : { name: "logs", state: "FAULT", sentence: faults.join("; ") },
  ]
}

/** Tries only a Unix socket: the server of a TCP address asks for a certificate. */
async function running({ listen }: FetcherConfig): Promise<Check> {
  const name = "process"
  if (listen.kind === "tcp") return ok(name, `listens at ${listen.address}, if it runs: this was not tried`)
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
    sentence: `no process listens at ${listen.path} (${fault}): start it with countersign-fetcher serve`,
  }
}
