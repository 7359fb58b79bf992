import t from "tap"
import { inSlices } from "../../../../signer/core/turns/slices.ts"

t.test("other work runs after each slice, and results come in order", async (t) => {
  const log: string[] = []
  const items = [0, 1, 2, 3, 4, 5]
  const mapping = inSlices(items, { size: 2 }, (item, index) => {
    log.push(`item ${item}`)
    return item * 10 + index
  })
  const other = async () => {
    for (let turn = 0; turn < 2; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      log.push("other")
    }
  }
  await Promise.all([mapping, other()])
  t.strictSame(await mapping, [0, 11, 22, 33, 44, 55])
  t.strictSame(log.slice(0, 2), ["item 0", "item 1"])
  t.ok(log.indexOf("other") < log.indexOf("item 5"), log.join())
})

t.test("the first fault ends the list", async (t) => {
  const seen: number[] = []
  const failing = inSlices([1, 2, 3], { size: 1 }, (item) => {
    seen.push(item)
    if (item === 2) throw new Error("two")
  })
  await t.rejects(failing, { message: "two" })
  t.strictSame(seen, [1, 2])
})
