import { writeNoteKey } from "../core/log/note-key.ts"
import { CosignedHeadStore } from "../process/cosigned-heads.ts"
import { exitWithParent } from "../process/exit-with-parent.ts"
import { requireIntactRelease } from "../process/intact-release.ts"
import { log, logAs } from "../process/log.ts"
import { onStopSignal } from "../process/stop-signals.ts"
import { readLogs, type WitnessConfig } from "./config.ts"
import { createWitness, openWitnessKey } from "./identity.ts"
import { logFault, witnessServer } from "./server.ts"

/** Time for requests under way at a stop. */
const SHUTDOWN_MS = 5_000

/** Runs the witness until SIGTERM or SIGINT. `isInit`: its key is made first. */
export async function serve(config: WitnessConfig, isInit: boolean): Promise<void> {
  process.umask(0o077)
  logAs("witness")
  requireIntactRelease("witness")
  const logs = readLogs(config)
  if (isInit) createWitness(config)
  const signer = openWitnessKey(config)
  const heads = new CosignedHeadStore(config.headsFile, { isNew: false })
  const server = witnessServer({ logs, signer, heads, nowMs: () => Date.now() }, (error) => {
    logFault(error)
    process.exit(70)
  })
  const { host, port } = config.listen
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  log("info", "witness is up", {
    key: writeNoteKey(signer.key),
    logs: logs.length,
    port: typeof address === "object" ? address?.port : undefined,
  })
  onStopSignal((signal) => {
    log("info", "witness stops", { signal })
    setTimeout(() => process.exit(0), SHUTDOWN_MS).unref()
    server.close(() => {
      heads.close()
      process.exit(0)
    })
    server.closeIdleConnections()
  })
  exitWithParent()
}
