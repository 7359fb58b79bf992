import t from "tap"
import { fuzz } from "./policies.ts"

const TEXTS = 4_000

t.test("every random expression is refused or evaluated, without a crash", async (t) => {
  const tally = fuzz(20_260_101, ({ texts }) => texts < TEXTS)
  t.equal(tally.texts, TEXTS)
  t.ok(tally.accepted > TEXTS / 20, `${tally.accepted} are expressions all the same`)
  t.ok(tally.evaluated > TEXTS / 20, `${tally.evaluated} were evaluated`)
})

t.test("one seed always generates the same expressions", async (t) => {
  const [one, other] = [fuzz(7, ({ texts }) => texts < 300), fuzz(7, ({ texts }) => texts < 300)]
  t.equal(one.accepted, other.accepted)
})
