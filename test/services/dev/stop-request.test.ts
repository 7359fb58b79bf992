// Requests to stop the development system: the first one stops it in order, a later one at once.
import t, { type Test } from "tap"
import { onStopRequest } from "../../../services/dev/stop-request.ts"

function listening(t: Test) {
  const seconds: string[] = []
  const lines: string[] = []
  const clock = { ms: 5000 }
  const request = onStopRequest({
    environment: {},
    log: (line) => lines.push(line),
    onSecond: (signal) => seconds.push(signal),
    elapsedMs: () => clock.ms,
  })
  t.teardown(() => request.dispose())
  const send = (name: NodeJS.Signals, afterMs: number) => {
    clock.ms += afterMs
    process.emit(name, name)
  }
  return { request, seconds, lines, send }
}

t.test(
  "the first signal asks for a stop, and its repetitions within a second are the same request",
  async (t) => {
    const { request, seconds, lines, send } = listening(t)
    t.notOk(request.signal.aborted)
    send("SIGINT", 60_000)
    await request.requested
    t.ok(request.signal.aborted)
    send("SIGINT", 3)
    send("SIGTERM", 900)
    t.same(seconds, [])
    t.match(lines, [/^stopping \(SIGINT\); to stop at once, send another signal after one second$/])
    t.equal(lines.length, 1)
  },
)

t.test("a signal a second later ends all at once", async (t) => {
  const { seconds, send } = listening(t)
  send("SIGINT", 0)
  send("SIGINT", 2)
  send("SIGINT", 998)
  t.same(seconds, ["SIGINT"])
})
