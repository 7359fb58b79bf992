import { spawn, spawnSync } from "node:child_process"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"

const LOGGER = new URL("../../../services/common/logger.ts", import.meta.url).href
const LINES = 500

/** A program that logs and then does what is given. */
const program = (then: string) => `
  const { createLogger } = await import(${JSON.stringify(LOGGER)})
  const log = createLogger("test", "info")
  for (let line = 0; line < ${LINES}; line++) log.info({ line })
  ${then}`

const args = (then: string) => ["--input-type=module", "-e", program(then)]

const linesIn = (text: string) => text.split("\n").filter((line) => line.startsWith('{"level":"info"')).length

t.test("the logger loses no line, however a process ends", async (t) => {
  const ends = {
    "by itself": "",
    "by exit": "process.exit(3)",
    "by an error nobody catches": "throw new Error('unforeseen')",
    "by a rejection nobody handles": "await Promise.reject(new Error('unforeseen'))",
  }
  for (const [how, then] of Object.entries(ends)) {
    const { stderr } = spawnSync(process.execPath, args(then), { encoding: "utf8" })
    t.equal(linesIn(stderr), LINES, how)
  }
})

t.test("the logger writes a fatal line, and all before it, at once", async (t) => {
  const { stderr } = spawnSync(
    process.execPath,
    args("log.fatal('over'); process.kill(process.pid, 'SIGKILL')"),
    {
      encoding: "utf8",
    },
  )
  t.equal(linesIn(stderr), LINES)
  t.match(stderr, /"level":"fatal".*"over"/)
})

t.test("the logger flushes while the process runs", async (t) => {
  const child = spawn(process.execPath, args("setInterval(() => undefined, 1000)"), {
    stdio: ["ignore", "ignore", "pipe"],
  })
  t.teardown(() => void child.kill("SIGKILL"))
  let text = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  while (linesIn(text) < LINES) await pause(10)
  t.equal(linesIn(text), LINES)
})

t.test("a silent logger adds no listener for the exit of the process", async (t) => {
  const { createLogger } = (await import(LOGGER)) as typeof import("../../../services/common/logger.ts")
  const before = process.listenerCount("exit")
  for (let count = 0; count < 20; count++) createLogger("test", "silent").fatal("unwritten")
  t.equal(process.listenerCount("exit"), before)
})

t.test("the logger escapes characters that a terminal obeys, and its lines stay JSON", async (t) => {
  const text = "\u001b[2J\u009b2J\u202e\u2066\u200b\u2028 caf\u00e9"
  const then = `log.info({ text: ${JSON.stringify(text)} }, "told")`
  const { stderr } = spawnSync(process.execPath, args(then), { encoding: "utf8" })
  const line = stderr.split("\n").find((each) => each.includes("told")) ?? ""
  t.notMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  t.match(line, "\\u202e")
  t.match(JSON.parse(line), { text })
})

const AFTER_REPLY = new URL("../../../services/common/after-reply.ts", import.meta.url).href

t.test(
  "C-1902: a process that exits in the turn of a request's reply writes the line of that request",
  (t) => {
    const { stderr, status } = spawnSync(
      process.execPath,
      args(`const { afterReply } = await import(${JSON.stringify(AFTER_REPLY)})
      afterReply(() => log.warn("the request's line"))
      process.exit(143)`),
      { encoding: "utf8" },
    )
    t.equal(status, 143)
    t.match(stderr, /"level":"warn".*the request's line/)
    t.end()
  },
)
