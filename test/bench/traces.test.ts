// The bench of traces that are off, in its short form.
import t from "tap"
import { readOptions } from "../../bench/options.ts"
import { measureTraces, SHORT } from "../../bench/traces/main.ts"

t.test("the cost of traces that are off is measured in both orders", async (t) => {
  const { extraNs, quartiles } = await measureTraces(SHORT)
  t.ok(Number.isFinite(extraNs))
  t.ok(quartiles[0] <= extraNs && extraNs <= quartiles[1])
})

t.test("the traces family must be named alone", (t) => {
  t.match(readOptions(["traces", "short"]), { family: "traces", short: true })
  t.throws(() => readOptions(["traces", "keys"]), /means nothing here/)
  t.end()
})
