import t from "tap"
import { Locks } from "../../../../../signer/enclave/execution/steps/locks.ts"

/** Tasks that end when the test says so, and the order of their starts and ends. */
function tasks() {
  const events: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  return {
    events,
    task: (name: string) => async () => {
      events.push(`${name} starts`)
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      await end.promise
      events.push(`${name} ends`)
      return name
    },
    end: async (name: string, error?: Error) => {
      const end = ends.get(name)
      if (error === undefined) end?.resolve()
      else end?.reject(error)
      await new Promise((resolve) => setImmediate(resolve))
    },
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  }
}

t.test("exclusive tasks of one key run one after another, those of others at once", async (t) => {
  const locks = new Locks()
  const { events, task, end, settle } = tasks()
  const all = [locks.run("a", task("one")), locks.run("a", task("two")), locks.run("b", task("other"))]
  await settle()
  t.same(events, ["one starts", "other starts"])
  await end("one")
  t.same(events.slice(2), ["one ends", "two starts"])
  await end("two")
  await end("other")
  t.same(await Promise.all(all), ["one", "two", "other"])
})

t.test("a task that fails lets the next one run", async (t) => {
  const locks = new Locks()
  const { events, task, end, settle } = tasks()
  const failing = t.rejects(locks.run("a", task("one")), { message: "no" })
  const next = locks.run("a", task("two"))
  await settle()
  await end("one", new Error("no"))
  await failing
  t.same(events, ["one starts", "two starts"])
  await end("two")
  t.equal(await next, "two")
})

t.test("shared tasks run at once, after the exclusive ones before them", async (t) => {
  const locks = new Locks()
  const { events, task, end, settle } = tasks()
  const all = [
    locks.run("a", task("first")),
    locks.runShared("a", task("one")),
    locks.runShared("a", task("two")),
    locks.run("a", task("last")),
    locks.runShared("a", task("later")),
  ]
  await settle()
  t.same(events, ["first starts"])
  await end("first")
  t.same(events.slice(1), ["first ends", "one starts", "two starts"])
  await end("two")
  t.same(events.slice(4), ["two ends"], "the exclusive task waits for both")
  await end("one")
  t.same(events.slice(5), ["one ends", "last starts"])
  await end("last")
  t.same(events.slice(7), ["last ends", "later starts"])
  await end("later")
  t.same(await Promise.all(all), ["first", "one", "two", "last", "later"])
})

t.test("an exclusive task does not wait for shared tasks that have ended or failed", async (t) => {
  const locks = new Locks()
  const { events, task, end, settle } = tasks()
  const failing = t.rejects(locks.runShared("a", task("failing")), { message: "no" })
  const open = locks.runShared("a", task("open"))
  await settle()
  await end("failing", new Error("no"))
  await failing
  const next = locks.run("a", task("next"))
  await end("open")
  t.same(events, ["failing starts", "open starts", "open ends", "next starts"])
  await end("next")
  t.same(await Promise.all([open, next]), ["open", "next"])
})

t.test("a key without tasks is forgotten, one with tasks is not", async (t) => {
  const locks = new Locks()
  const { events, task, end, settle } = tasks()
  t.equal(locks.size, 0)
  const one = locks.run("a", task("one"))
  const two = locks.runShared("a", task("two"))
  await settle()
  t.equal(locks.size, 1)
  await end("one")
  await one
  t.equal(locks.size, 1, "the shared task still runs")
  const three = locks.run("a", task("three"))
  await settle()
  t.same(events, ["one starts", "one ends", "two starts"], "and is still waited for")
  await end("two")
  await end("three")
  await Promise.all([two, three])
  t.equal(locks.size, 0)
})
