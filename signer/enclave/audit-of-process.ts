import { PhaseSchema } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { errorFields, log } from "../process/log.ts"
import { AuditStream } from "./audit/audit-stream.ts"
import type { BootedSigner } from "./booted-signer.ts"
import type { SignerConfig } from "./config.ts"
import type { Clock } from "./ledger/trusted-clock.ts"
import { type Phase, phaseNumber } from "./phase.ts"
import { codeDigest, release } from "./provision/code.ts"

/** The audit stream of this process. */
export function openAudit({ audit: { directory, whenFull } }: SignerConfig, clock: Clock): AuditStream {
  return new AuditStream({
    directory,
    whenFull,
    release: release(),
    codeDigest: codeDigest(),
    nowMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    onFault: (error) =>
      error === undefined
        ? log("info", "the audit stream is written again")
        : log("error", "records cannot be written to the audit stream", errorFields(error)),
  })
}

/**
 * Records each phase. Logs one that came without a start, such as a clock that was corrected, and a remark when it appears.
 */
export function phaseLog(signer: BootedSigner, audit: AuditStream): () => void {
  let known = kindOf(signer.phase())
  return () => {
    const phase = signer.phase()
    audit.phase(
      PhaseSchema.value[phaseNumber(phase)]?.localName ?? "",
      "code" in phase ? phase.code : undefined,
    )
    if (kindOf(phase) === known) return
    known = kindOf(phase)
    const reason = phase.name === "ready" ? phase.remark : phase.sentence
    log(known === "ready" ? "info" : "warn", "the signer's phase changed", {
      phase: phase.name,
      ...(reason !== undefined && { reason }),
    })
  }
}

function kindOf(phase: Phase): string {
  return "remark" in phase ? `${phase.name}, with a remark` : phase.name
}
