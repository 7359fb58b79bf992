import t from "tap"
import { WeighedMap } from "../../../signer/core/weighed-map.ts"

t.test("forgets what was put first once all together weighs too much", async (t) => {
  const map = new WeighedMap<string, number>(10)
  map.set("one", 1, 4)
  map.set("two", 2, 4)
  t.same([map.get("one"), map.get("two"), map.weight], [1, 2, 8])
  map.set("three", 3, 6)
  t.same([map.get("one"), map.get("two"), map.get("three"), map.weight], [undefined, 2, 3, 10])
  map.set("four", 4, 9)
  t.same([map.get("two"), map.get("three"), map.get("four"), map.weight], [undefined, undefined, 4, 9])
})

t.test("what is put again weighs once, and what alone weighs too much is not kept", async (t) => {
  const map = new WeighedMap<string, number>(10)
  for (const weight of [3, 5, 7]) map.set("one", weight, weight)
  t.same([map.get("one"), map.weight], [7, 7])
  map.set("two", 2, 11)
  t.same([map.get("one"), map.get("two"), map.weight], [undefined, undefined, 0])
})
