// The cross products that are generated from the contract. The short form runs the cells of activities that a seed chooses.
import { randomInt } from "node:crypto"
import t, { type Test } from "tap"
import { isLong } from "../../harness/long.ts"
import { Figures } from "./figures.ts"
import { Cross } from "./run.ts"

const seed = randomInt(2 ** 31)
const products = new Cross({ seed, share: isLong ? undefined : 1 })

function faultless(t: Test, figures: Figures): void {
  t.comment(`seed ${seed}`)
  for (const line of figures.lines()) t.comment(line)
  t.same(figures.unexpected, [], `seed ${seed}`)
  t.ok(figures.cells > 0)
}

t.test("A8: every caller of an activity gets in every state the answer that the rules give", async (t) => {
  await products.runCallers(t)
  faultless(t, products.callers)
})

t.test("A2: every record that an order brings is refused in every other place and state", async (t) => {
  await products.runRecords(t)
  faultless(t, products.records)
})

t.test(
  "B2: every member of an activity has one reading in each spelling, and no decoy beside it changes that",
  async (t) => {
    products.runMembers()
    faultless(t, products.members)
  },
)

t.test(
  "W171: a refused body is refused again, and runs once the cause is gone, as the contract says",
  async (t) => {
    faultless(t, products.retries)
  },
)

t.test("a cell without an expectation, and one with another answer, are faults", async (t) => {
  const figures = new Figures("some × other")
  t.ok(figures.count("one", "done", ["done", "waits"]))
  t.notOk(figures.count("two", "done", ["PERMISSION_DENIED"]))
  t.notOk(figures.count("three", "done", []))
  figures.notRun("it cannot be", 2)
  t.same(figures.lines(), [
    "some × other: 3 of 5 cells run, 2 unexpected",
    "  not run, 2: it cannot be",
    "  unexpected: two: done; expected PERMISSION_DENIED",
    "  unexpected: three: done; expected nothing, as no rule is about it",
  ])
})
