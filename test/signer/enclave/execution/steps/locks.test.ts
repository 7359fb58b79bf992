import { setImmediate as turn } from "node:timers/promises"
import t from "tap"
import { Locks } from "../../../../../signer/enclave/execution/steps/locks.ts"

t.test("tasks of one key run one after another, tasks of two keys concurrently", async (t) => {
  const locks = new Locks()
  const order: string[] = []
  const task = (key: string, name: string) =>
    locks.run(key, async () => {
      order.push(`${name} begins`)
      await turn()
      order.push(`${name} ends`)
    })
  await Promise.all([task("a", "first"), task("a", "second"), task("b", "third")])
  t.ok(order.indexOf("first ends") < order.indexOf("second begins"))
  t.ok(order.indexOf("third begins") < order.indexOf("first ends"))
})

t.test("a failing task does not fail the tasks after it", async (t) => {
  const locks = new Locks()
  const failing = locks.run("a", async () => {
    throw new Error("fails")
  })
  const next = locks.run("a", async () => "runs")
  await t.rejects(failing, { message: "fails" })
  t.equal(await next, "runs")
})

t.test("shared tasks wait for exclusive ones, and exclusive ones for shared ones", async (t) => {
  const locks = new Locks()
  const order: string[] = []
  const task = (name: string) => async () => {
    order.push(`${name} begins`)
    await turn()
    order.push(`${name} ends`)
  }
  await Promise.all([
    locks.runShared("a", task("one")),
    locks.runShared("a", task("two")),
    locks.run("a", task("alone")),
    locks.runShared("a", task("late")),
  ])
  t.ok(order.indexOf("two begins") < order.indexOf("one ends"), "side by side")
  t.ok(order.indexOf("one ends") < order.indexOf("alone begins"))
  t.ok(order.indexOf("two ends") < order.indexOf("alone begins"))
  t.ok(order.indexOf("alone ends") < order.indexOf("late begins"))
})
