import t from "tap"
import { Admission, callerName, WORK } from "../../../../services/api/http/admission.ts"
import { Deadline, MAX_REQUEST_MS } from "../../../../signer/core/turns/deadline.ts"
import { storeOrganization, user } from "../documents.ts"
import { signBody, signed } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const addressAt = (value: bigint) => ({ bits: 32 as const, value })
const never = () => new Promise<never>(() => undefined)
/** A request that nobody waits for: it is answered 503 after its deadline. */
const hold = (answer: Promise<unknown>) => void answer.catch(() => undefined)
const soon = () => new Deadline(MAX_REQUEST_MS)
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: { reason?: string; code?: string }) => error.reason ?? error.code,
  )

t.test("an organization's requests beyond its bound are refused, and another's are answered", async (t) => {
  const admission = new Admission({ requests: 10, ofOrganization: 2 })
  admission.remember("flood", "org 1")
  admission.remember("flood from elsewhere", "org 1")
  admission.remember("quiet", "org 2")
  hold(admission.run("flood", soon(), never))
  hold(admission.run("flood from elsewhere", soon(), never))
  t.equal(await codeOf(admission.run("flood", soon(), async () => "answer")), "ORGANIZATION_OVERLOADED")
  t.equal(await admission.run("quiet", soon(), async () => "answer"), "answer")
})

t.test("a request whose deadline is over gives its place back, whatever it still waits for", async (t) => {
  const admission = new Admission({ requests: 4, ofOrganization: 2 })
  admission.remember("caller", "org 1")
  const late = () => admission.run("caller", new Deadline(50), never)
  // The service's timers do not keep a process alive.
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  const answers = [codeOf(late()), codeOf(late())]
  t.equal(await codeOf(late()), "ORGANIZATION_OVERLOADED")
  t.same(await Promise.all(answers), ["UNAVAILABLE", "UNAVAILABLE"])
  t.equal(admission.running, 0)
  t.equal(await admission.run("caller", soon(), async () => "answer"), "answer")
})

t.test("organizations that all flood leave a place to one that does not", async (t) => {
  const admission = new Admission({ requests: 20, ofOrganization: 5 })
  admission.remember("quiet", "quiet")
  const floods = Array.from({ length: 9 }, (_, index) => `flood ${index}`)
  for (const name of floods) admission.remember(name, name)
  for (let round = 0; round < 5; round++) for (const name of floods) hold(admission.run(name, soon(), never))
  t.equal(admission.running, 18, "each has as many places as it left free")
  t.equal(await admission.run("quiet", soon(), async () => "answer"), "answer")
  t.equal(await codeOf(admission.run("flood 0", soon(), never)), "ORGANIZATION_OVERLOADED")
})

t.test("sub-organizations of one parent leave places to those of others", async (t) => {
  const admission = new Admission({ requests: 20, ofOrganization: 5 })
  admission.remember("quiet", "quiet", "another parent")
  const subs = Array.from({ length: 30 }, (_, index) => `sub-organization ${index}`)
  for (const name of subs) admission.remember(name, name, "parent")
  admission.remember("parent", "parent")
  let end = () => undefined as void
  const ended = new Promise<void>((resolve) => (end = resolve))
  const answers = subs.map((name) => codeOf(admission.run(name, soon(), () => ended)))
  t.equal(admission.running, 10, "together they have as many places as they leave free")
  t.equal(await codeOf(admission.run("parent", soon(), async () => "answer")), "ORGANIZATION_OVERLOADED")
  t.equal(await admission.run("quiet", soon(), async () => "answer"), "answer")
  end()
  await Promise.all(answers)
  t.equal(await admission.run("parent", soon(), async () => "answer"), "answer", "places are given back")
})

t.test("sub-organizations that flood leave places to others of their parent", async (t) => {
  for (const floods of [
    ["first", "second"],
    ["first", "second", "third", "fourth"],
    ["parent", "first"],
  ]) {
    const admission = new Admission({ requests: 64, ofOrganization: 16 })
    for (const name of ["quiet", "first", "second", "third", "fourth"])
      admission.remember(name, name, "parent")
    admission.remember("parent", "parent")
    for (let round = 0; round < 16; round++)
      for (const name of floods) hold(admission.run(name, soon(), never))
    const answers = Array.from({ length: 2 }, () => codeOf(admission.run("quiet", soon(), never)))
    const refusals = Promise.race([...answers, new Promise((resolve) => setImmediate(resolve, "taken"))])
    t.equal(await refusals, "taken", floods.join(", "))
    t.ok(admission.running <= 32, "a parent and its sub-organizations leave as many free as they take")
  }
})

t.test("a caller's key takes places of its organization from the same address only", async (t) => {
  const admission = new Admission({ requests: 10, ofOrganization: 2 })
  const near = callerName(addressAt(1n), "key")
  admission.remember(near, "org")
  const failing = () => admission.run(near, soon(), never)
  hold(failing())
  hold(failing())
  t.equal(await codeOf(failing()), "ORGANIZATION_OVERLOADED", "stamps are not verified before")
  const far = callerName(addressAt(2n), "key")
  t.equal(await admission.run(far, soon(), async () => "answer"), "answer", "another address is a newcomer")
})

t.test("unknown callers share one bound, and known callers do not use it", async (t) => {
  const admission = new Admission({ requests: 10, ofOrganization: 2 })
  admission.remember(callerName(addressAt(1n), "key"), "org")
  for (const address of [addressAt(2n), addressAt(3n)])
    hold(admission.run(callerName(address, "key"), soon(), never))
  const newcomer = admission.run(callerName(addressAt(4n), "key"), soon(), async () => "answer")
  t.equal(
    await codeOf(newcomer),
    "SERVICE_OVERLOADED",
    "the same credential from another address is no caller",
  )
  t.equal(await admission.run(callerName(addressAt(1n), "key"), soon(), async () => "answer"), "answer")
})

t.test(
  "the process has a bound over all organizations, and places are free again after an answer",
  async (t) => {
    const admission = new Admission({ requests: 2, ofOrganization: 2 })
    for (const name of ["a", "b", "c"]) admission.remember(name, name)
    hold(admission.run("a", soon(), never))
    const { promise, resolve: finish } = Promise.withResolvers<void>()
    const second = admission.run("b", soon(), () => promise)
    t.equal(await codeOf(admission.run("c", soon(), async () => "answer")), "SERVICE_OVERLOADED")
    finish()
    await second
    const failed = admission.run("c", soon(), () => Promise.reject(new Error("failed")))
    await t.rejects(failed, /failed/)
    t.equal(await admission.run("c", soon(), async () => "answer"), "answer")
  },
)

t.test("a request that waited longer than its deadline is not handled", async (t) => {
  const admission = new Admission()
  let nowMs = 0
  const deadline = new Deadline(MAX_REQUEST_MS, () => nowMs)
  let isHandled = false
  const request = admission.run("", deadline, async () => {
    isHandled = true
  })
  nowMs = MAX_REQUEST_MS
  t.equal(await codeOf(request), "DEADLINE_EXCEEDED")
  t.notOk(isHandled)
})

t.test("an organization pays for what it computes in a further turn", async (t) => {
  const admission = new Admission()
  for (const name of ["flood", "quiet"]) admission.remember(name, name)
  const order: string[] = []
  const spin = () => {
    const endMs = performance.now() + 20
    while (performance.now() < endMs);
    order.push("computed")
  }
  await Promise.all([
    admission.compute("flood", spin),
    admission.compute("flood", () => order.push("flood")),
    admission.run("quiet", soon(), async () => order.push("quiet")),
  ])
  t.strictSame(order, ["computed", "quiet", "flood"])
})

t.test("an organization's requests in work are bounded as soon as another is active", async (t) => {
  const admission = new Admission()
  for (const name of ["flood", "quiet"]) admission.remember(name, name)
  const answers: (() => void)[] = []
  /** Work that ends when the test answers it. */
  const work = () => new Promise<void>((resolve) => answers.push(resolve))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const settled = async () => {
    for (let turns = 0; turns < 20; turns++) await turn()
  }
  for (let count = 0; count < 40; count++) hold(admission.run("flood", soon(), work))
  await settled()
  t.equal(answers.length, 40, "alone it has no bound")
  t.equal(await admission.run("quiet", soon(), async () => "answer"), "answer")
  for (const answer of answers.splice(0)) answer()
  await settled()
  for (let count = 0; count < 40; count++) hold(admission.run("flood", soon(), work))
  await settled()
  t.equal(answers.length, 5)
  t.equal(admission.waiting, 35)
  t.equal(await admission.run("quiet", soon(), async () => "answer"), "answer")
  for (let round = 0; round < 8; round++) {
    for (const answer of answers.splice(0)) answer()
    await settled()
  }
  t.equal(admission.waiting, 0)
  for (let count = 0; count < 4; count++) hold(admission.run("flood", soon(), work, WORK.creation))
  await settled()
  t.equal(answers.length, 2, "of organizations that are made there are fewer")
  for (let round = 0; round < 2; round++) {
    for (const answer of answers.splice(0)) answer()
    await settled()
  }
  for (let count = 0; count < 4; count++) hold(admission.run("flood", soon(), work, WORK.query))
  await settled()
  t.equal(answers.length, 2, "of queries too")
  t.equal(
    await admission.run("flood", soon(), async () => "answer"),
    "answer",
    "signatures do not wait for them",
  )
  for (let count = 0; count < 2; count++) hold(admission.run("flood", soon(), work, WORK.largeOrder))
  await settled()
  t.equal(answers.length, 3, "of large bodies one, beside the queries")
})

t.test("a refusal names when to send again, and the same body is answered then", async (t) => {
  const api = await startApi(t, { admission: { requests: 10, ofOrganization: 1 } })
  const key = makeKey()
  const alice = user("alice", key)
  const quorum = { threshold: 1, userIds: [alice.userId] }
  await storeOrganization(api.sql, { users: [alice], rootQuorum: quorum })
  const path = "submit/sign_raw_payload"
  api.signer.answers.push(signed(alice.userId))
  t.equal((await api.post(path, signBody("first"), key)).status, 200)
  for (let count = 0; count < 20; count++) api.signer.answers.push(signed(alice.userId))
  const bodies = Array.from({ length: 20 }, (_, index) => signBody(`${index}`))
  const replies = await Promise.all(bodies.map((body) => api.post(path, body, key)))
  const refused = replies.filter(({ status }) => status !== 200)
  t.ok(refused.length > 0)
  for (const { status, headers, json } of refused) {
    t.equal(status, 429)
    t.equal(headers.get("retry-after"), "1")
    t.match(json, { code: 8, message: /send the same body again/ })
  }
  const again = bodies[replies.findIndex(({ status }) => status === 429)]
  t.equal((await api.post(path, again, key)).status, 200)
})

t.test("large bodies of one organization are read one at a time beside others", async (t) => {
  const admission = new Admission()
  for (const name of ["flood", "quiet"]) admission.remember(name, name)
  await admission.run("quiet", soon(), async () => "answer")
  const began: string[] = []
  const read = (caller: string) => () => {
    began.push(caller)
    return new Promise<Buffer>(() => undefined)
  }
  for (let index = 0; index < 5; index++) void admission.reading("flood", soon(), read("flood"), 20_000)
  for (let index = 0; index < 5; index++) void admission.reading("unknown", soon(), read("unknown"), 20_000)
  void admission.reading("quiet", soon(), read("quiet"), 20_000)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(began.filter((name) => name === "flood").length, 1)
  t.equal(began.filter((name) => name === "unknown").length, 5, "newcomers do not wait for each other")
  t.equal(began.filter((name) => name === "quiet").length, 1)
})

t.test("a large body that is sent slowly holds its place for as long as its length takes", async (t) => {
  const admission = new Admission()
  for (const name of ["flood", "small", "quiet"]) admission.remember(name, name)
  await admission.run("quiet", soon(), async () => "answer")
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  const began: string[] = []
  const begin = (owner: string, name: string, bytes: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const read = () => {
      began.push(name)
      resolve()
      return new Promise<Buffer>(() => undefined)
    }
    void admission.reading(owner, soon(), read, bytes)
    return promise
  }
  void begin("flood", "large 1", 2 ** 20)
  const next = begin("flood", "large 2", 2 ** 20)
  void begin("small", "small 1", 20_000)
  await begin("small", "small 2", 20_000)
  t.strictSame(began, ["large 1", "small 1", "small 2"])
  await next
})

t.test("a large body whose deadline ended while it waited is not read", async (t) => {
  const admission = new Admission()
  for (const name of ["flood", "quiet"]) admission.remember(name, name)
  await admission.run("quiet", soon(), async () => "answer")
  let nowMs = 0
  const began: string[] = []
  const read = (name: string) => async () => {
    began.push(name)
    return Buffer.alloc(0)
  }
  const first = Promise.withResolvers<Buffer>()
  const reading = admission.reading("flood", soon(), () => first.promise, 2 ** 30)
  const late = admission.reading("flood", new Deadline(1000, () => nowMs), read("late"), 20_000)
  const next = admission.reading("flood", soon(), read("next"), 20_000)
  nowMs = 1000
  first.resolve(Buffer.alloc(0))
  await reading
  await t.rejects(late, { code: "DEADLINE_EXCEEDED" })
  await next
  t.strictSame(began, ["next"])
})

t.test("after a costly query an organization has one place less for a while, beside others", async (t) => {
  const admission = new Admission()
  for (const name of ["flood", "quiet"]) admission.remember(name, name)
  await admission.run("quiet", soon(), async () => "answer")
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  const order: string[] = []
  const query = (name: string) => async () => {
    order.push(name)
    return "x".repeat(name === "large" ? 1_000_000 : 1)
  }
  const all = Array.from({ length: 2 }, () => admission.run("flood", soon(), query("large"), WORK.query))
  await Promise.all(all)
  const next = admission.run("flood", soon(), query("next"), WORK.query)
  await admission.run("flood", soon(), async () => order.push("signature"))
  await admission.run("quiet", soon(), query("of another"), WORK.query)
  t.strictSame(
    order,
    ["large", "large", "signature", "of another"],
    "a megabyte rests for a quarter of a second",
  )
  await next
  for (let count = 0; count < 50; count++) await admission.run("flood", soon(), query("cheap"), WORK.query)
  t.equal(order.length, 55, "a cheap one needs no rest")
})
