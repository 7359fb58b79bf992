// The bench of orders as bytes, in its short form.
import t from "tap"
import { measureBatch, SHORT } from "../../bench/codecs/main.ts"
import { readOptions } from "../../bench/options.ts"

t.test("both ways of writing and reading an order are measured", (t) => {
  const { batch, general, generated } = measureBatch(2, SHORT)
  t.equal(batch, 2)
  t.ok(general > 0 && generated > 0)
  t.end()
})

t.test("the codecs family must be named alone", (t) => {
  t.match(readOptions(["codecs", "short"]), { family: "codecs", short: true })
  t.throws(() => readOptions(["codecs", "traces"]), /means nothing here/)
  t.end()
})
