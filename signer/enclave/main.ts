import "../process/refuse-debugger.ts"
import { setTimeout as pause } from "node:timers/promises"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { UnlockService } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { Health } from "../../proto/gen/grpc/health/v1/health_pb.ts"
import { addService } from "../../proto/grpc.ts"
import { SignerService } from "../../proto/signer-service.ts"
import { boot, type BootedSigner } from "./boot.ts"
import { readAdmittedMembers } from "./admitted-members.ts"
import { readServingConfig, type SignerConfig } from "./config.ts"
import { createDeployment } from "./create-deployment.ts"
import { endIfBroken, statusUnlessBroken, terminate } from "./end-if-broken.ts"
import { exitWithParent } from "../process/exit-with-parent.ts"
import { secp256k1 } from "./keys/engine.ts"
import type { AuditStream } from "./audit/audit-stream.ts"
import { openAudit, phaseLog } from "./audit-of-process.ts"
import { audited } from "./rpc/audited.ts"
import { requireIntactRelease } from "../process/intact-release.ts"
import { errorFields, log } from "../process/log.ts"
import { onStopSignal } from "../process/stop-signals.ts"
import { exitAtStart, readOrExit } from "../process/settings.ts"
import { healthHandlers, operatorHandlers, signerHandlers, unlockHandlers } from "./rpc/index.ts"
import { onRefusedCaller } from "../process/refused-callers.ts"
import { refuseService } from "../process/refuse-service.ts"
import { listen, listenOnSocket, newServer, requireCaller, statusOf } from "../process/transport.ts"

/** Interval of housekeeping: expired rows are removed, expired keys wiped, and the time floor advanced. */
const HOUSEKEEPING_MS = 30_000

/** Time for orders and calls under way when the signer stops: less than the 10 s after which Docker kills a container. */
const SHUTDOWN_MS = 8_000

// Files of this process are readable by its user only.
process.umask(0o077)

type Server = ReturnType<typeof newServer>
/** Parts of a running signer, which `stop` closes. */
type Running = {
  servers: readonly Server[]
  signer: BootedSigner
  audit: AuditStream
  timers: readonly NodeJS.Timeout[]
}
/** What a server needs beside the signer. */
type Serving = { config: SignerConfig; audit: AuditStream }

await start(readOrExit(readServingConfig(readAdmittedMembers))).catch(exitAtStart)

async function start(config: SignerConfig): Promise<void> {
  requireIntactRelease("signer")
  if (process.argv.includes("--init")) {
    const { deploymentId } = createDeployment(config, "the same command without --init")
    log("info", "created a deployment: its root seed and its ledger", { deploymentId })
  }
  const clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }
  const audit = openAudit(config, clock)
  const signer = boot(config, {
    clock,
    audit,
    terminate,
    onLockChange: () => {
      logChange()
      void verifyIndex(signer)
    },
  })
  const logChange = phaseLog(signer, audit)
  const servers = [await serveOperator(signer, { config, audit }), await serveApi(signer, { config, audit })]
  // Only now: another signer with these files would have refused the socket.
  audit.start()
  logChange()
  const housekeeping = setInterval(() => {
    logChange()
    signer.purge().catch((error: unknown) => {
      log("error", "housekeeping failed", errorFields(error))
      endIfBroken(error)
    })
  }, HOUSEKEEPING_MS)
  const checkpoints = setInterval(() => {
    logChange()
    audit.tick(() => signer.signedHead())
    signer.signLog().catch((error: unknown) => log("error", "the log was not signed", errorFields(error)))
  }, config.checkpointMs)
  const phase = signer.phase()
  log(phase.name === "ready" || phase.name === "unwitnessed" ? "info" : "error", "signer is up", {
    phase: phase.name,
    ...("sentence" in phase && { reason: phase.sentence }),
    secp256k1: secp256k1.name,
    transport: config.listen.kind,
  })
  void verifyIndex(signer)
  const running = { servers, signer, audit, timers: [housekeeping, checkpoints] }
  onStopSignal((signal) => void stop(running, signal))
  exitWithParent()
}

/** A read that fails here fails again when it is needed, and is refused then. */
async function verifyIndex(signer: BootedSigner): Promise<void> {
  try {
    const found = await signer.verifyIndex()
    if (found === undefined || found.verified + found.damaged === 0) return
    log(found.damaged === 0 ? "info" : "error", "verified the ledger's index", found)
  } catch (error) {
    log("error", "the ledger's index could not be verified", errorFields(error))
    endIfBroken(error)
  }
}

async function serveOperator(signer: BootedSigner, { config, audit }: Serving): Promise<Server> {
  const server = newServer()
  const operator = audited(OperatorService, operatorHandlers, audit)
  const unlocking = audited(UnlockService, unlockHandlers, audit)
  addService(server, OperatorService, operator, () => signer, statusUnlessBroken)
  addService(server, UnlockService, unlocking, () => signer, statusUnlessBroken)
  await listenOnSocket(server, config.operatorSocket)
  return server
}

async function serveApi(signer: BootedSigner, { config: { listen: at }, audit }: Serving): Promise<Server> {
  const server = newServer()
  onRefusedCaller(({ reason, address }) => audit.refusedCaller(reason, address))
  const contextOf = (call: Parameters<typeof requireCaller>[0]) => {
    requireCaller(call, at)
    return signer
  }
  addService(server, SignerService, signerHandlers, contextOf, statusUnlessBroken)
  addService(server, Health, healthHandlers, contextOf, statusOf)
  for (const service of [OperatorService, UnlockService])
    refuseService(server, service, (call) => requireCaller(call, at))
  await listen(server, at)
  return server
}

/** Begins no order any more, answers those that run and ends the streams; then closes ledger and process. */
async function stop({ servers, signer, audit, timers }: Running, signal: string): Promise<void> {
  log("info", "signer stops", { signal, runningOrders: signer.orders.running })
  for (const timer of timers) clearInterval(timer)
  signer.stop()
  const done = Promise.all([...servers.map(shutdown), signer.orders.idle()]).then(() => true)
  if (!(await Promise.race([done, pause(SHUTDOWN_MS, false)])))
    log("warn", "stopping took too long: orders under way are broken off", {
      runningOrders: signer.orders.running,
    })
  audit.stop(signer.signedHead())
  await signer.closeNow()
  audit.close()
  process.exit(0)
}

/** Resolves once every call of the server is answered, and its connections are closed. */
function shutdown(server: Server): Promise<void> {
  return new Promise((resolve) => server.tryShutdown(() => resolve()))
}
