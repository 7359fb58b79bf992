import t from "tap"
import { fewAtATime } from "../../../services/common/few-at-a-time.ts"

t.test("uses the first few at once and a few more in each turn of the event loop", async (t) => {
  const seen: number[] = []
  fewAtATime([1, 2, 3, 4, 5, 6, 7], 3, (item) => seen.push(item))
  t.same(seen, [1, 2, 3])
  setImmediate(() => seen.push(0))
  await new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))))
  t.same(seen, [1, 2, 3, 4, 5, 6, 0, 7])
})

t.test("a list that is a few or none takes no turn", async (t) => {
  const seen: number[] = []
  fewAtATime([1, 2, 3], 3, (item) => seen.push(item))
  fewAtATime([], 3, () => seen.push(0))
  t.same(seen, [1, 2, 3])
})
