import "../common/refuse-debugger.ts"
import cluster from "node:cluster"
import { counted } from "../../signer/core/counted.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { requireIntactRelease } from "../common/intact-release.ts"
import { createLogger, type Logger } from "../common/logger.ts"
import { readOrExit } from "../common/settings.ts"
import { logStartFault } from "../common/start-fault.ts"
import { stopOnSignals } from "../common/stop.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { type ApiSettings, readApiConfig } from "./config.ts"
import { endWithoutWork, metricsOfWorker, stopWithSupervisor, superviseWorkers } from "./workers.ts"

const USAGE = `Usage: node services/api/main.ts [heal [--all]]

  (no word)      serve the API
  heal           restore from the signer's ledger what the database has in an older state, and print what was done
  heal --all     restore every organization
`

exitWithParent()
endWithoutWork()
await main()

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2))
  if (command === undefined) {
    process.stderr.write(USAGE)
    process.exitCode = 2
    return
  }
  const config = readOrExit(readApiConfig)
  const log = createLogger("api", config.logLevel)
  try {
    requireIntactRelease("api")
    await (command === "serve" ? serve(config, log) : heal(config, log, command))
  } catch (error) {
    process.exitCode = logStartFault(log, error, databaseFaultOf(error, config.database))
  }
}

type Command = "serve" | "heal" | "heal --all"

function readCommand(words: readonly string[]): Command | undefined {
  const command = words.join(" ") || "serve"
  return command === "serve" || command === "heal" || command === "heal --all" ? command : undefined
}

/** One process that serves, or the one that starts several and serves nothing itself. */
async function serve(config: ApiSettings, log: Logger): Promise<void> {
  const stop = stopOnSignals()
  if (config.processes > 1 && cluster.isPrimary) {
    const workers = { count: config.processes, graceMs: config.stopGraceMs }
    process.exitCode = await superviseWorkers(workers, log, stop)
    return
  }
  stopWithSupervisor(stop)
  const { serveApi } = await import("./serve.ts")
  await serveApi({ ...config, metricsListen: metricsOfWorker(config.metricsListen) }, log, stop)
}

/** Heals the database once, beside running processes or without them. Progress is logged. */
async function heal(config: ApiSettings, log: Logger, command: Command): Promise<void> {
  const { withService } = await import("./command-service.ts")
  const { compared, restored, failed } = await withService(config, log, (service) =>
    service.heal(command === "heal --all"),
  )
  process.stdout.write(
    `compared ${counted(compared, "organization")}, restored ${restored}, failed ${failed}\n`,
  )
  process.exitCode = failed === 0 ? 0 : 1
}
