import t from "tap"
import { type Call, type Phase, requirePhase } from "../../../signer/enclave/phase.ts"
import { Refusal } from "../../../signer/core/refusal.ts"

const PHASES: readonly Phase[] = [
  { name: "ready" },
  { name: "clock-untrusted", sentence: "clock" },
  { name: "halted", code: "LEDGER_MISSING", sentence: "ledger" },
]

const CALLS: { [call in Call]: readonly string[] } = {
  execute: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING"],
  recover: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING"],
  readArchive: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING"],
  getOrganizationHead: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING"],
  getPins: ["answers", "answers", "LEDGER_MISSING"],
  getBootProof: ["answers", "answers", "LEDGER_MISSING"],
  probe: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING"],
  createSetupCode: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING"],
  acceptClock: ["PHASE_WRONG", "answers", "LEDGER_MISSING"],
  getStatus: ["answers", "answers", "answers"],
}

for (const [call, expected] of Object.entries(CALLS)) {
  t.test(`${call} answers in its phases and refuses in the others`, async (t) => {
    PHASES.forEach((phase, index) => t.equal(answer(call as Call, phase), expected[index], phase.name))
  })
}

t.test("says in plain words that a clock nobody doubts need not be accepted", async (t) => {
  t.throws(() => requirePhase("acceptClock", { name: "ready" }), {
    message: /does not doubt its clock: there is nothing/,
  })
})

function answer(call: Call, phase: Phase): string {
  try {
    requirePhase(call, phase)
    return "answers"
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}
