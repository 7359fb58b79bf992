import t from "tap"
import { together } from "../../../services/database/together.ts"

t.test("waits for all parts", async (t) => {
  const ended: string[] = []
  const part = async (name: string) => {
    await Promise.resolve()
    ended.push(name)
  }
  await together([part("one"), part("two")])
  t.same(ended, ["one", "two"])
})

t.test("throws the first error once every part has ended", async (t) => {
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const third = Promise.withResolvers<void>()
  let hasEnded = false
  const whole = together([first.promise, second.promise, third.promise]).finally(() => (hasEnded = true))
  const rejected = t.rejects(whole, { message: "the constraint" })
  second.reject(new Error("the constraint"))
  await new Promise(setImmediate)
  first.reject(new Error("current transaction is aborted"))
  await new Promise(setImmediate)
  t.notOk(hasEnded, "the third part may still send a statement")
  third.resolve()
  await rejected
})
