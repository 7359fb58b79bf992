import t from "tap"
import { type Operator, requireSignerReady } from "../../../services/dev/signer.ts"
import { readSettings } from "../../../services/terminal-client/settings.ts"

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

t.test("a ready signer is not reported", async (t) => {
  const said: string[] = []
  const { operator, calls } = operatorSaying("READY")
  t.equal(
    await requireSignerReady(operator, settings, (line) => said.push(line)),
    "04aa",
    "the notarizer's key",
  )
  t.same([said, calls], [[], []])
})

t.test("dev accepts a clock in doubt, and reports it", async (t) => {
  const said: string[] = []
  const { operator, calls } = operatorSaying("CLOCK_UNTRUSTED", "READY")
  await requireSignerReady(operator, settings, (line) => said.push(line))
  t.same(calls, ["acceptClock"])
  t.match(said, [/accepted the clock for the signer, because this is development \(because\)/])
})

t.test("dev stops if the signer stays in doubt or halts, with the reason and a remedy", async (t) => {
  for (const phases of [["CLOCK_UNTRUSTED", "CLOCK_UNTRUSTED"], ["LEDGER_MISSING"]]) {
    const { operator } = operatorSaying(...phases)
    const message = new RegExp(`${phases.at(-1)}.*because.*--reset`)
    await t.rejects(
      requireSignerReady(operator, settings, () => undefined),
      { message },
    )
  }
})

t.test("dev names the files to restore before it suggests a reset", async (t) => {
  const expected = {
    LEDGER_MISSING:
      /Restore the newest copy of the whole directory \/data\/signer\/ledger\..*delete.*COUNTERSIGN_DATA_DIR=\/data npx .*--reset/,
    LEDGER_DAMAGED:
      /Restore the newest copy of the whole directory \/data\/signer\/ledger\..*delete.*--reset/,
    LEDGER_OLDER: /Restore the newest copy .*, or give up what is newer: .*accept-ledger/,
    LEDGER_FOREIGN: /Restore \/data\/signer\/root-seed and \/data\/signer\/ledger from.*delete.*--reset/,
  }
  for (const [phase, message] of Object.entries(expected)) {
    const { operator } = operatorSaying(phase)
    await t.rejects(
      requireSignerReady(operator, settings, () => undefined),
      { message },
    )
  }
})
