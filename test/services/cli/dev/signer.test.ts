import t from "tap"
import { type Operator, requireSignerReady } from "../../../../services/cli/dev/signer.ts"

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
  t.equal(await requireSignerReady(operator, (line) => said.push(line)), "04aa", "the notarizer's key")
  t.same([said, calls], [[], []])
})

t.test("accepts a clock in doubt, and says so", async (t) => {
  const said: string[] = []
  const { operator, calls } = operatorSaying("CLOCK_UNTRUSTED", "READY")
  await requireSignerReady(operator, (line) => said.push(line))
  t.same(calls, ["acceptClock"])
  t.match(said, [/doubted the clock \(because\): accepted on your behalf/])
})

t.test("gives up when the signer stays in doubt or is halted, with its reason and a way out", async (t) => {
  for (const phases of [["CLOCK_UNTRUSTED", "CLOCK_UNTRUSTED"], ["LEDGER_MISSING"]]) {
    const { operator } = operatorSaying(...phases)
    const message = new RegExp(`${phases.at(-1)}.*because.*--reset`)
    await t.rejects(
      requireSignerReady(operator, () => undefined),
      { message },
    )
  }
})
