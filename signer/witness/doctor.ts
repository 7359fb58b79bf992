import { connect } from "node:net"
import { type Check, ok } from "../core/checks.ts"
import { counted } from "../core/counted.ts"
import { faultsOf, writeAddress } from "../core/settings/settings.ts"
import { checkSecretFile } from "../process/secret-file.ts"
import { readLogs, type WitnessConfig } from "./config.ts"

/** Checks what the witness needs on this host, and whether it listens. */
export async function doctor(config: WitnessConfig): Promise<Check[]> {
  const faults = faultsOf(() => readLogs(config))
  const remedy = "make it with countersign-witness init"
  return [
    ok("settings", "can be used"),
    faults.length === 0
      ? ok("logs", `${counted(readLogs(config).length, "key")} of logs in ${config.logsFile}`)
      : { name: "logs", state: "FAULT", sentence: faults.join("; ") },
    checkSecretFile("key", config.seedFile, remedy),
    checkSecretFile("heads", config.headsFile, remedy),
    await running(config),
  ]
}

async function running({ listen }: WitnessConfig): Promise<Check> {
  const at = writeAddress(listen)
  const fault = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ ...listen, timeout: 3_000 })
    socket.once("connect", () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once("timeout", () => {
      socket.destroy()
      resolve("no answer")
    })
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
  if (fault === undefined) return ok("process", `listens at ${at}`)
  const sentence = `no process listens at ${at} (${fault}): start it with countersign-witness serve`
  return { name: "process", state: "DOWN", sentence }
}
