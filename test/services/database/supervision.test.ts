import t from "tap"
import { Supervision } from "../../../services/database/supervision.ts"

/** Looks every five seconds of a clock that the test moves. */
function setup() {
  let now = 0
  let passes = 0
  const pass = () => {
    passes += 1
    return Promise.resolve()
  }
  const supervision = new Supervision(pass, () => now)
  const elapse = async (seconds: number) => {
    const before = passes
    for (let second = 5; second <= seconds; second += 5) {
      now += 5_000
      await supervision.passIfDue()
    }
    return passes - before
  }
  return { supervision, elapse }
}

t.test("queues are searched often after a signal, and once a minute without one", async (t) => {
  const { supervision, elapse } = setup()
  t.equal(await elapse(55), 11, "after the start, for a minute")
  t.ok((await elapse(600)) <= 10, "a minute each")
  supervision.signal()
  t.equal(await elapse(30), 6)
})

t.test("a pass that takes long is not joined by another one", async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let passes = 0
  const supervision = new Supervision(() => ((passes += 1), promise))
  const first = supervision.passIfDue()
  await supervision.passIfDue()
  t.equal(passes, 1)
  let isClosed = false
  const closed = supervision.close().then(() => (isClosed = true))
  await Promise.resolve()
  t.equal(isClosed, false, "the end waits for it")
  resolve()
  await Promise.all([first, closed])
})
