import { spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { startProgram } from "../../../services/dev/system-process.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"

const waits = (twin: string) => `
  import { exitWithParent } from ${JSON.stringify(join(packageRoot, twin))}
  exitWithParent()
  process.on("SIGTERM", () => { console.log("asked to stop"); process.exit(0) })
  setInterval(() => undefined, 1000)
  console.log("up")
`

t.test("a program's log is kept and its exit status reported", async (t) => {
  const directory = t.testdir({ "main.ts": `console.log("one\\ntwo"); process.exitCode = 7` })
  const logFile = join(directory, "x.log")
  const member = await startProgram({
    name: "api",
    file: join(directory, "main.ts"),
    environment: {},
    logFile,
  })
  t.equal(await member.ended, "status 7")
  t.same(await member.logTail(), ["one", "two"])
  t.equal(statSync(logFile).mode & 0o777, 0o600)
})

t.test("a program is stopped by SIGTERM", async (t) => {
  const directory = t.testdir({ "main.ts": waits("services/common/exit-with-parent.ts") })
  const logFile = join(directory, "x.log")
  const member = await startProgram({
    name: "api",
    file: join(directory, "main.ts"),
    environment: {},
    logFile,
  })
  while (!(await member.logTail()).join().includes("up")) await pause(10)
  await member.stop()
  t.equal(await member.ended, "status 0")
  t.match((await member.logTail()).join(), /asked to stop/)
})

for (const twin of ["services/common/exit-with-parent.ts", "signer/process/exit-with-parent.ts"]) {
  t.test(`a program with ${twin} exits when its parent is killed`, async (t) => {
    const directory = t.testdir({
      "main.ts": waits(twin),
      "parent.ts": `
        import { startProgram } from ${JSON.stringify(join(packageRoot, "services/dev/system-process.ts"))}
        const [file, logFile] = process.argv.slice(2)
        const member = await startProgram({ name: "api", file, environment: {}, logFile })
        while (!(await member.logTail()).join().includes("up")) await new Promise((done) => setTimeout(done, 10))
        console.log(member.pid)
      `,
    })
    const logFile = join(directory, "x.log")
    const parent = spawn(process.execPath, [
      join(directory, "parent.ts"),
      join(directory, "main.ts"),
      logFile,
    ])
    const [pid] = (await once(parent.stdout, "data")) as [Buffer]
    parent.kill("SIGKILL")
    while (isAlive(Number(pid))) await pause(10)
    t.pass("it ended")
  })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
