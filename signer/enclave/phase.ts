import { type RefusalName, refuse } from "../core/refusal.ts"

/**
 * Where the signer stands. It answers everything only when ready; in doubt it keeps its keys closed and tells
 * the operator why. (Provisioning by shares adds its phases before these.)
 */
export type Phase =
  | { name: "ready" }
  /** The host's clock contradicts the ledger's: an operator must say that it is right. */
  | { name: "clock-untrusted"; sentence: string }
  /** Root seed and ledger do not belong together, or the ledger is damaged: nothing can be served. */
  | { name: "halted"; code: RefusalName; sentence: string }

/** Which call answers in which phase. A call that is not named refuses: adding one means deciding it here. */
const ANSWERS = {
  execute: ["ready"],
  recover: ["ready"],
  readArchive: ["ready"],
  getOrganizationHead: ["ready"],
  getPins: ["ready", "clock-untrusted"],
  getBootProof: ["ready", "clock-untrusted"],
  probe: ["ready"],
  createSetupCode: ["ready"],
  acceptClock: ["clock-untrusted"],
  getStatus: ["ready", "clock-untrusted", "halted"],
} as const satisfies { [call: string]: readonly Phase["name"][] }

export type Call = keyof typeof ANSWERS

type SilentWhileReady = { [C in Call]: "ready" extends (typeof ANSWERS)[C][number] ? never : C }[Call]

/** What the operator is told who calls for it all the same. */
const NOT_WHILE_READY: { readonly [call in SilentWhileReady]: string } = {
  acceptClock: "the signer is ready and does not doubt its clock: there is nothing to accept",
}

/** @throws CLOCK_UNTRUSTED, PHASE_WRONG, or the code that halted the signer */
export function requirePhase(call: Call, phase: Phase): void {
  const answers: readonly Phase["name"][] = ANSWERS[call]
  if (answers.includes(phase.name)) return
  switch (phase.name) {
    case "halted":
      throw refuse(phase.code, phase.sentence)
    case "clock-untrusted":
      throw refuse("CLOCK_UNTRUSTED", phase.sentence)
    case "ready":
      throw refuse("PHASE_WRONG", NOT_WHILE_READY[call as keyof typeof NOT_WHILE_READY])
    default:
      return phase satisfies never
  }
}
