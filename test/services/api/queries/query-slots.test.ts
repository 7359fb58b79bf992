import { setImmediate as turn } from "node:timers/promises"
import t from "tap"
import { QuerySlots } from "../../../../services/api/queries/shared/query-slots.ts"

/** A query that ends when the test says so. */
function heldQuery(started: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const query = () => {
    started.push(name)
    return promise
  }
  return { query, end: () => resolve(name) }
}

t.test("runs a few queries at a time, fewer of one organization, the longest waiting first", async (t) => {
  const slots = new QuerySlots({ running: 3, perOrganization: 2 })
  const started: string[] = []
  const queries = ["a1", "a2", "a3", "a4", "b1", "b2"].map((name) => ({ name, ...heldQuery(started, name) }))
  const answers = queries.map(({ name, query }) => slots.run(name[0] as string, query))
  await turn()
  t.same(started, ["a1", "a2", "b1"])
  queries[0]?.end()
  t.equal(await answers[0], "a1")
  t.same(started, ["a1", "a2", "b1", "a3"])
  for (const { end } of queries) end()
  t.same(await Promise.all(answers), ["a1", "a2", "a3", "a4", "b1", "b2"])
})

t.test("answers a caller in time, and keeps the slot until the query has ended", async (t) => {
  const slots = new QuerySlots({ running: 1, perOrganization: 1, queryMs: 1 })
  const started: string[] = []
  const [first, second] = [heldQuery(started, "first"), heldQuery(started, "second")]
  const faultOf = (answer: Promise<string>) => answer.catch((fault: unknown) => fault)
  for (const fault of [faultOf(slots.run("a", first.query)), faultOf(slots.run("b", second.query))])
    t.match(await fault, { status: 504, reason: "QUERY_TIMEOUT" })
  t.same(started, ["first"], "a query whose caller was answered is not started")
  first.end()
  await turn()
  t.equal(await slots.run("c", async () => "third"), "third")
})

t.test("a query that never ends gives its slot back once", async (t) => {
  const slots = new QuerySlots({ running: 1, perOrganization: 1, queryMs: 1, heldMs: 20 })
  const started: string[] = []
  const endless = heldQuery(started, "endless")
  t.match(await slots.run("a", endless.query).catch((fault: unknown) => fault), { reason: "QUERY_TIMEOUT" })
  const next = new QuerySlots({ running: 1, heldMs: 20 })
  void next.run("a", endless.query)
  t.equal(await next.run("b", async () => "next"), "next")
  endless.end()
  await turn()
  t.same([slots.running, next.running], [0, 0])
})

t.test("passes on what a query throws", async (t) => {
  const slots = new QuerySlots({ running: 1 })
  await t.rejects(
    slots.run("a", () => Promise.reject(new Error("a fault"))),
    new Error("a fault"),
  )
  t.equal(await slots.run("a", async () => "next"), "next")
})
