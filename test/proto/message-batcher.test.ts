import { setImmediate as nextTurn } from "node:timers/promises"
import t from "tap"
import { MessageBatcher } from "../../proto/message-batcher.ts"

function batcher(bounds: { items: number; bytes: number }) {
  const sent: string[] = []
  return { sent, box: new MessageBatcher<string>((items) => void sent.push(items.join("")), bounds) }
}

t.test(
  "the batcher sends the items of one turn together, in order, and the next turn's separately",
  async (t) => {
    const { sent, box } = batcher({ items: 10, bytes: 100 })
    for (const item of "abc") box.put(item, 1)
    t.same(sent, [], "nothing before the turn ends")
    await nextTurn()
    t.same(sent, ["abc"])
    box.put("d", 1)
    await nextTurn()
    await nextTurn()
    t.same(sent, ["abc", "d"])
  },
)

t.test("the batcher sends items from the promises of a callback before the next callback", async (t) => {
  const { sent, box } = batcher({ items: 10, bytes: 100 })
  const atImmediate = new Promise<string[]>((resolve) => {
    setImmediate(() => {
      const first = Promise.resolve().then(() => box.put("a", 1))
      void first.then(() => box.put("b", 1))
    })
    setImmediate(() => resolve([...sent]))
  })
  t.same(await atImmediate, ["ab"], "in one message, and in the same phase of immediates")
})

t.test("the batcher sends a full message at once, by number and by size", async (t) => {
  const { sent, box } = batcher({ items: 3, bytes: 10 })
  for (const item of "abcd") box.put(item, 1)
  t.same(sent, ["abc"])
  box.put("e", 9)
  t.same(sent, ["abc", "de"], "exactly full")
  box.put("f", 2)
  box.put("g", 9)
  t.same(sent, ["abc", "de", "f"], "what would overflow goes into the next")
  box.put("h", 10)
  t.same(sent, ["abc", "de", "f", "g", "h"], "what fills a message is alone in it")
  await nextTurn()
  t.equal(sent.length, 5, "an empty batcher sends nothing")
})

t.test("the batcher sends its items when flushed", async (t) => {
  const { sent, box } = batcher({ items: 3, bytes: 10 })
  box.put("a", 1)
  box.flush()
  box.flush()
  t.same(sent, ["a"])
  await nextTurn()
  t.same(sent, ["a"])
})

t.test("the batcher waits for one more turn while it may, and never longer", async (t) => {
  const sent: string[] = []
  let mayWait = true
  const box = new MessageBatcher<string>(
    (items) => void sent.push(items.join("")),
    { items: 4, bytes: 100 },
    () => mayWait,
  )
  box.put("a", 1)
  await nextTurn()
  t.same(sent, [], "the first turn ends without a message")
  box.put("b", 1)
  await nextTurn()
  t.same(sent, ["ab"], "the second brings it, whatever else is to come")
  for (const item of "cdefg") box.put(item, 1)
  t.same(sent, ["ab", "cdef"], "a full message waits for nothing")
  await nextTurn()
  t.same(sent, ["ab", "cdef"], "what is left has a turn of its own to wait for")
  await nextTurn()
  t.same(sent, ["ab", "cdef", "g"])
  mayWait = false
  box.put("h", 1)
  await nextTurn()
  t.same(sent.at(-1), "h", "somebody idles for it")
})
