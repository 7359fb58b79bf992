import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import t, { type Test } from "tap"
import { devInbox } from "../../../services/dev/inbox.ts"
import { patienceMs } from "../../harness/patience.ts"

const FIRST = {
  sentAt: "2026-01-01T00:00:00.000Z",
  channel: "mail",
  to: "ann@example.com",
  subject: "Sign in to Acme",
  text: "Your code: 123456\n\nIt expires",
}
const SECOND = {
  sentAt: "2026-01-01T00:00:01.000Z",
  channel: "sms",
  to: "+15551234567",
  text: "654321 is your code",
}

function inbox(t: Test) {
  const directory = join(t.testdir({}), "fetcher")
  const file = join(directory, "outbox.jsonl")
  const lines: string[] = []
  const terminal = {
    print: (line: string) => void lines.push(line),
    log: (line: string) => void lines.push(`# ${line}`),
  }
  return {
    file,
    lines,
    terminal: terminal as never,
    make: () => mkdirSync(directory),
    add: (...messages: object[]) =>
      appendFileSync(file, messages.map((one) => `${JSON.stringify(one)}\n`).join("")),
  }
}

t.test("prints the newest message first, as text or as JSON", async (t) => {
  const { file, lines, terminal, make, add } = inbox(t)
  make()
  add(FIRST, SECOND)
  appendFileSync(file, '{"half')
  await devInbox(file, {}, terminal)
  t.strictSame(lines.splice(0), [
    "2026-01-01T00:00:01.000Z  sms to +15551234567",
    "    654321 is your code",
    "2026-01-01T00:00:00.000Z  mail to ann@example.com: Sign in to Acme",
    "    Your code: 123456",
    "    It expires",
  ])
  await devInbox(file, { json: true }, terminal)
  t.strictSame(
    lines.map((line) => JSON.parse(line) as object),
    [SECOND, FIRST],
  )
})

t.test("says that there is no message yet, or no development system", async (t) => {
  const { file, lines, terminal, make } = inbox(t)
  await t.rejects(devInbox(file, {}, terminal), { message: /start a development system first/ })
  make()
  await devInbox(file, {}, terminal)
  t.strictSame(lines, ["# no message yet"])
})

t.test("--watch prints each message that comes, once", async (t) => {
  const { file, lines, terminal, make, add } = inbox(t)
  make()
  add(FIRST)
  const end = new AbortController()
  const watching = devInbox(file, { watch: true, json: true }, terminal, end.signal)
  const until = async (count: number) => {
    const deadline = performance.now() + patienceMs(30_000)
    while (lines.length < count && performance.now() < deadline) await turn()
  }
  await until(1)
  add(SECOND)
  await until(2)
  add(FIRST)
  await until(3)
  end.abort()
  await watching
  t.strictSame(
    lines.map((line) => JSON.parse(line) as object),
    [FIRST, SECOND, FIRST],
  )
})
