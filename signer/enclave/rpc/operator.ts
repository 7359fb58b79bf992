import type {
  AcceptClockRequest,
  AcceptLedgerRequest,
  CreateSetupCodeRequest,
  EraseOrganizationRequest,
} from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { holdersDigest } from "../../core/sealed-seed/holders.ts"
import { inSlices } from "../../core/turns/steps.ts"
import { log } from "../../process/log.ts"
import { writeSetupCode } from "../provision/setup-code.ts"
import { nothingToAccept } from "../phase.ts"
import type { SignerContext } from "./context.ts"
import { actOfClock, actOfLedger, actOfSetupCode, DEFAULT_EXPIRATION_SECONDS } from "./holder-acts.ts"
import { readId } from "./read-fields.ts"

/** Issues a setup code for one key. The organization id is chosen here: the code is spent once it exists. */
export async function createSetupCode(request: CreateSetupCodeRequest, context: SignerContext) {
  const { keyring, ids, log: decisionLog, nowMs } = context.state()
  const approved = context.acts.require(actOfSetupCode(request), request.approved)
  const publicKey = request.publicKey.toLowerCase()
  const now = nowMs()
  const seconds = request.expirationSeconds || DEFAULT_EXPIRATION_SECONDS
  const { pins, pinsDigest, setup } = keyring
  const expiresAtMs = BigInt(now) + BigInt(seconds) * 1000n
  const setupCode = writeSetupCode(
    { organizationId: ids.next(now), publicKey, pinsDigest, expiresAtMs },
    setup,
  )
  decisionLog.act("createSetupCode", approved)
  return { setupCode, pins }
}

/** The operator accepts the host's clock. */
export async function acceptClock(
  { approved }: Pick<AcceptClockRequest, "approved">,
  context: SignerContext,
) {
  const text = context.acts.require(actOfClock(), approved)
  const { log: decisionLog } = context.state()
  await context.acceptClock()
  decisionLog.act("acceptClock", text)
  return {}
}

/** The operator gives up what is newer than the ledger. @throws PHASE_WRONG */
export async function acceptLedger(request: AcceptLedgerRequest, context: SignerContext) {
  if (["ready", "unwitnessed"].includes(context.phase().name) && !request.restored) throw nothingToAccept()
  const text = context.acts.require(actOfLedger(request), request.approved)
  const { log: decisionLog } = context.state()
  await context.acceptLedger()
  decisionLog.act("acceptLedger", text)
  return {}
}

/** Erases a deleted organization. */
export async function eraseOrganization(request: EraseOrganizationRequest, context: SignerContext) {
  const { ledger, executor, log: decisionLog, turns } = context.state()
  const id = readId(request.organizationId, "organizationId")
  await inSlices(ledger.prepare(id, []), id, turns)
  const version = await executor.erase(id)
  decisionLog.act("eraseOrganization")
  log("info", "a deleted organization was erased", { organizationId: id, version: String(version) })
  return { version }
}

function identityOf(context: SignerContext) {
  const { pins, paymaster } = context.state().keyring
  return { pins, paymaster: paymaster.address, ...holdersIn(context) }
}

function holdersIn({ acts, seedLock }: SignerContext) {
  const { holders } = acts
  const isSealedSeed = seedLock !== undefined
  if (holders === undefined) return { isSealedSeed }
  const { generation, threshold } = holders
  const publicKeys = [...holders.publicKeys]
  return { isSealedSeed, holders: { generation, threshold, publicKeys, digest: holdersDigest(holders) } }
}

/** The signer's phase, and the reason for it. */
export async function getStatus(_request: unknown, context: SignerContext) {
  const phase = context.phase()
  switch (phase.name) {
    case "ready": {
      const explanation = ["answers everything", phase.remark].filter(Boolean).join("; ")
      return { phase: Phase.READY, explanation, ...identityOf(context) }
    }
    case "clock-untrusted":
      return { phase: Phase.CLOCK_UNTRUSTED, explanation: phase.sentence, ...identityOf(context) }
    case "ledger-older": {
      const explanation = `${phase.sentence}: ${phase.detail}`
      return { phase: Phase.LEDGER_OLDER, explanation, ...identityOf(context) }
    }
    case "unwitnessed": {
      const explanation = `${phase.sentence}: ${phase.detail}`
      return { phase: Phase.UNWITNESSED, explanation, ...identityOf(context) }
    }
    case "halted":
      return { phase: Phase.HALTED, haltedBy: RefusalCode[phase.code], explanation: phase.sentence }
    case "empty":
      return { phase: Phase.EMPTY, explanation: phase.sentence }
    case "sealed":
      return { phase: Phase.SEALED, explanation: `${phase.sentence}: ${phase.detail}` }
    case "stopping":
      return { phase: Phase.STOPPING, explanation: "finishes the orders that it runs, and ends" }
    default:
      return phase satisfies never
  }
}
