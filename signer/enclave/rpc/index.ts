import type { DescMethod, DescService } from "@bufbuild/protobuf"
import { HealthCheckResponse_ServingStatus, Health } from "../../../proto/gen/grpc/health/v1/health_pb.ts"
import { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { SignerService } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { UnlockService } from "../../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import type { Handlers } from "../../../proto/grpc.ts"
import { calls } from "../modules/calls.ts"
import { answerCheckOf, phaseCheckOf } from "../phase.ts"
import { readAudit } from "./audit.ts"
import { copyLedger, signBackup } from "./backup.ts"
import type { SignerContext } from "./context.ts"
import { serveExecute } from "./execute.ts"
import { prepareAct } from "./holder-acts.ts"
import { readLedger } from "./ledger-figures.ts"
import { readLog, readLogConsistency, readLogTile, showCheckpoint } from "./log.ts"
import { readMetrics } from "./metrics.ts"
import { acceptClock, acceptLedger, createSetupCode, eraseOrganization, getStatus } from "./operator.ts"
import { expireActivities, listOrganizations, readArchive, readSession, recover } from "./reads.ts"
import { getOrganizationHead, getPins, probe } from "./statements.ts"
import { lock, readSeal, unlock } from "./unlock.ts"

/** Calls of the API tier. */
export const signerHandlers = inPhases(SignerService, {
  execute: serveExecute,
  recover,
  readArchive,
  expireActivities,
  listOrganizations,
  readSession,
  getOrganizationHead,
  getPins,
  async getBootProof(_request: unknown, context) {
    return { bootProof: await context.state().identity.bootProof() }
  },
  probe,
  readLog,
  readLogTile,
  readLogConsistency,
  showCheckpoint,
  readMetrics,
  ...calls,
})

/** Calls of the operator, and of holders of shares. */
export const operatorHandlers = inPhases(OperatorService, {
  createSetupCode,
  acceptClock,
  acceptLedger,
  prepareAct,
  getStatus,
  readLedger,
  readAudit,
  eraseOrganization,
  copyLedger,
  signBackup,
})
export const unlockHandlers = inPhases(UnlockService, { unlock, lock, readSeal })

export const healthHandlers = inPhases(Health, {
  async check(_request: unknown, context) {
    const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus
    return { status: context.phase().name === "ready" ? SERVING : NOT_SERVING }
  },
})

/**
 * The only check of phases, for every call. A unary handler runs only in the phases that its RPC declares. A handler may outlive a
 * phase: its context gives out the signer's state and keys only in those phases. A stream's handler always runs.
 */
function inPhases<S extends DescService, H extends Handlers<S, SignerContext>>(service: S, handlers: H): H {
  const checked = service.methods.map((method) => {
    const [requirePhase, requireAnswer] = [phaseCheckOf(method), answerCheckOf(method)]
    const handler = handlers[method.localName as keyof H] as AnyHandler
    const unary: AnyHandler = async (request, context, signal) => {
      requirePhase(context.phase())
      const answer = await handler(request, inPhase(method, context), signal)
      requireAnswer(context.phase())
      return answer
    }
    const streaming: AnyHandler = (stream, context, signal) =>
      handler(stream, inPhase(method, context), signal)
    return [method.localName, method.methodKind === "unary" ? unary : streaming]
  })
  return Object.fromEntries(checked)
}

/** The context of a call, whose `state` throws as the check of its RPC does. */
export function inPhase(method: DescMethod, context: SignerContext): SignerContext {
  const requirePhase = phaseCheckOf(method)
  const state = () => {
    requirePhase(context.phase())
    return context.state()
  }
  return { ...context, state }
}

type AnyHandler = (input: never, context: SignerContext, signal: AbortSignal) => unknown
