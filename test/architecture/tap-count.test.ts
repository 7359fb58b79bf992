import t from "tap"
import { readCount, summary } from "../../scripts/tap-count.ts"

t.test("the count is the last total that tap printed", async (t) => {
  const output =
    "ok 1 - a\n# { total: 1, pass: 1 }\n# { total: 6, pass: 2, fail: 1, todo: 1, skip: 2 }\n# time=5ms\n"
  t.strictSame(readCount(output), { passed: 2, failed: 1, skipped: 3 })
  t.strictSame(readCount("# { total: 4, pass: 4 }\n# time=1ms"), { passed: 4, failed: 0, skipped: 0 })
  t.equal(readCount("    # { total: 4, pass: 4 }\n"), undefined)
  t.equal(readCount("TAP version 14\n"), undefined)
})

t.test("the summary ends with passed and failed; skipped tests have a line before it", async (t) => {
  t.equal(summary({ passed: 3, failed: 0, skipped: 0 }), "3 passed, 0 failed")
  t.equal(summary({ passed: 3, failed: 2, skipped: 1 }), "1 skipped\n3 passed, 2 failed")
})
