import t from "tap"
import { type Operator, requireSignerReady } from "../../../../services/cli/dev/signer.ts"
import { readSettings } from "../../../../services/cli/settings.ts"

const settings = readSettings({ COUNTERSIGN_DATA_DIR: "/data" })

function operatorSaying(...phases: string[]) {
  const calls: string[] = []
  const operator: Operator = {
    status: async () => ({
      phase: phases.shift() ?? "",
      explanation: "because",
      pins: { notarizerPublicKey: "04aa" },
    }),
    acceptClock: async () => void calls.push("acceptClock"),
    setupCode: async () => "",
  }
  return { operator, calls }
}

t.test("says nothing about a signer that is ready", async (t) => {
  const said: string[] = []
  const { operator, calls } = operatorSaying("READY")
  t.equal(
    await requireSignerReady(operator, settings, (line) => said.push(line)),
    "04aa",
    "the notarizer's key",
  )
  t.same([said, calls], [[], []])
})

t.test("accepts a clock in doubt, and says so", async (t) => {
  const said: string[] = []
  const { operator, calls } = operatorSaying("CLOCK_UNTRUSTED", "READY")
  await requireSignerReady(operator, settings, (line) => said.push(line))
  t.same(calls, ["acceptClock"])
  t.match(said, [/doubted the clock \(because\): accepted on your behalf/])
})

t.test("gives up when the signer stays in doubt or is halted, with its reason and a way out", async (t) => {
  for (const phases of [["CLOCK_UNTRUSTED", "CLOCK_UNTRUSTED"], ["LEDGER_MISSING"]]) {
    const { operator } = operatorSaying(...phases)
    const message = new RegExp(`${phases.at(-1)}.*because.*--reset`)
    await t.rejects(
      requireSignerReady(operator, settings, () => undefined),
      { message },
    )
  }
})

t.test("says what to put back before it names what destroys all", async (t) => {
  const expected = {
    LEDGER_MISSING:
      /Put it back: \/data\/signer\/ledger,.*destroys.*COUNTERSIGN_DATA_DIR=\/data npx .*--reset/,
    LEDGER_DAMAGED: /Put the newest copy of it back, whole: \/data\/signer\/ledger\..*destroys.*--reset/,
    LEDGER_FOREIGN: /Put back \/data\/signer\/root-seed and \/data\/signer\/ledger,.*destroys.*--reset/,
  }
  for (const [phase, message] of Object.entries(expected)) {
    const { operator } = operatorSaying(phase)
    await t.rejects(
      requireSignerReady(operator, settings, () => undefined),
      { message },
    )
  }
})
