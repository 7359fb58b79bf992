import "../process/refuse-debugger.ts"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { SignerService } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Health } from "../../proto/gen/grpc/health/v1/health_pb.ts"
import { addService } from "../../proto/grpc.ts"
import { boot } from "./boot.ts"
import { readConfig } from "./config.ts"
import { createDeployment } from "./create-deployment.ts"
import { exitWithParent } from "../process/exit-with-parent.ts"
import { secp256k1 } from "./keys/engine.ts"
import { errorFields, log } from "../process/log.ts"
import { readOrExit } from "../process/settings.ts"
import { healthHandlers, operatorHandlers, signerHandlers } from "./rpc/index.ts"
import { listen, listenOnSocket, newServer, requireCaller, statusOf } from "../process/transport.ts"

/** Interval of housekeeping: expired rows are removed, expired keys wiped, and the time floor advanced. */
const HOUSEKEEPING_MS = 30_000

/** Time for running calls to finish when the signer stops. */
const SHUTDOWN_MS = 5_000

// Files of this process are readable by its user only.
process.umask(0o077)

const config = readOrExit(readConfig)
if (process.argv.includes("--init")) {
  const { deploymentId } = createDeployment(config)
  log("info", "created a deployment: its root seed and its ledger", { deploymentId })
}
const signer = boot(config, {
  clock: { wallMs: () => Date.now(), monotonicMs: () => performance.now() },
  terminate,
})

const forApi = newServer()
const contextOfApi = (call: Parameters<typeof requireCaller>[0]) => {
  requireCaller(call, config.listen)
  return signer
}
addService(forApi, SignerService, signerHandlers, contextOfApi, statusOf)
addService(forApi, Health, healthHandlers, contextOfApi, statusOf)

const forOperator = newServer()
addService(forOperator, OperatorService, operatorHandlers, () => signer, statusOf)

await listenOnSocket(forOperator, config.operatorSocket)
await listen(forApi, config.listen)

const housekeeping = setInterval(() => {
  signer.purge().catch((error: unknown) => log("error", "housekeeping failed", errorFields(error)))
}, HOUSEKEEPING_MS)

const phase = signer.phase()
log(phase.name === "ready" ? "info" : "error", "signer is up", {
  phase: phase.name,
  ...("sentence" in phase && { reason: phase.sentence }),
  secp256k1: secp256k1.name,
  transport: config.listen.kind,
})

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop(signal))
exitWithParent()

async function stop(signal: string): Promise<void> {
  log("info", "signer stops", { signal })
  clearInterval(housekeeping)
  await Promise.all([shutdown(forApi), shutdown(forOperator)])
  await signer.close()
  process.exit(0)
}

function shutdown(server: ReturnType<typeof newServer>): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown()
      resolve()
    }, SHUTDOWN_MS)
    server.tryShutdown(() => {
      clearTimeout(force)
      resolve()
    })
  })
}

/** Ends the process after a failed write: it may or may not be on disk, so the state in memory cannot be trusted. */
function terminate(error: unknown): never {
  log("error", "the ledger failed", errorFields(error))
  process.exit(70)
}
