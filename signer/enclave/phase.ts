import { type DescMethod, getOption } from "@bufbuild/protobuf"
import { Phase as PhaseNumber, phases } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { type Refusal, type RefusalName, refuse } from "../core/refusal.ts"

/** The enclave's present phase. Outside `ready` no key signs for a user; the operator sees the reason. */
export type Phase =
  /** `remark`: for the operator, for example that the host's clock has left the signer's time. */
  | { name: "ready"; remark?: string }
  /** The host's clock contradicts the ledger's: it must be corrected, or accepted by an operator. */
  | { name: "clock-untrusted"; sentence: string }
  /** The ledger or its log contradicts state that this deployment signed. `detail` is for the operator only. */
  | { name: "ledger-older"; code: "LEDGER_OLDER" | "LEDGER_FORKED"; sentence: string; detail: string }
  /** Root seed and ledger do not belong together, or the ledger is damaged: nothing can be served. */
  | { name: "halted"; code: RefusalName; sentence: string }
  /** Too few witnesses have cosigned this start. `detail` is for the operator only. */
  | { name: "unwitnessed"; sentence: string; detail: string }
  /** There is neither root seed nor ledger. */
  | { name: "empty"; sentence: string }
  /** The root seed is sealed: there are no keys. `detail` is for the operator only. */
  | { name: "sealed"; sentence: string; detail: string }
  /** The process ends, or locks its keys: no order begins any more. */
  | { name: "stopping"; sentence: string }

const NUMBERS: { readonly [name in Phase["name"]]: PhaseNumber } = {
  ready: PhaseNumber.READY,
  "clock-untrusted": PhaseNumber.CLOCK_UNTRUSTED,
  "ledger-older": PhaseNumber.LEDGER_OLDER,
  halted: PhaseNumber.HALTED,
  stopping: PhaseNumber.STOPPING,
  empty: PhaseNumber.EMPTY,
  sealed: PhaseNumber.SEALED,
  unwitnessed: PhaseNumber.UNWITNESSED,
}

export function phaseNumber(phase: Phase): PhaseNumber {
  return NUMBERS[phase.name]
}

/**
 * Checks one RPC's phases (phase.proto). The check throws CLOCK_UNTRUSTED, LEDGER_OLDER, LEDGER_FORKED, SIGNER_STOPPING,
 * SIGNER_SEALED, UNWITNESSED, ROOT_SEED_MISSING, PHASE_WRONG, or the halting code.
 */
export function phaseCheckOf(method: DescMethod): (phase: Phase) => void {
  const answersIn = new Set(getOption(method, phases))
  return (phase) => {
    if (answersIn.has(NUMBERS[phase.name])) return
    switch (phase.name) {
      case "halted":
        throw refuse(phase.code, phase.sentence)
      case "clock-untrusted":
        throw refuse("CLOCK_UNTRUSTED", phase.sentence)
      case "ledger-older":
        throw refuse(phase.code, phase.sentence)
      case "unwitnessed":
        throw refuse("UNWITNESSED", phase.sentence)
      case "stopping":
        throw refuse("SIGNER_STOPPING", phase.sentence)
      case "empty":
        throw refuse("ROOT_SEED_MISSING", phase.sentence)
      case "sealed":
        throw refuse("SIGNER_SEALED", phase.sentence)
      case "ready":
        throw nothingToAccept()
      default:
        phase satisfies never
    }
  }
}

/**
 * Checks whether an answer may leave: none of a call for a ready signer does once a newer head or document was found while it ran. A
 * signer that stops answers what it ran. Throws as `phaseCheckOf` does.
 */
export function answerCheckOf(method: DescMethod): (phase: Phase) => void {
  const requirePhase = phaseCheckOf(method)
  const isOfReady = getOption(method, phases).includes(PhaseNumber.READY)
  return (phase) => {
    if (isOfReady && phase.name === "ledger-older") requirePhase(phase)
  }
}

export function nothingToAccept(): Refusal {
  const sentence =
    "the signer is ready and trusts its clock and its ledger: there is nothing to accept and nothing to unlock"
  return refuse("PHASE_WRONG", sentence)
}
