import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { takeLock } from "../../../services/dev/lock.ts"
import { ExitCode } from "../../../services/terminal-client/exit.ts"

/** A process that looks like one of ours and ends when its standard input does. */
async function pretend(t: Test, name: string) {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log(1)", "--", name])
  t.teardown(() => child.kill("SIGKILL"))
  await once(child.stdout, "data")
  return child
}

t.test("the lock holds this process's id, and is removed on release", async (t) => {
  const file = join(t.testdir(), "dev.lock")
  const lock = await takeLock(file)
  await lock.recordPid(4242, "signer")
  t.equal(readFileSync(file, "utf8"), `${process.pid}\n4242 signer\n`)
  await lock.release()
  t.notOk(existsSync(file))
})

t.test("the lock is refused while another dev runs, with the command that stops it", async (t) => {
  const file = join(t.testdir(), "dev.lock")
  const other = await pretend(t, "dev")
  writeFileSync(file, `${other.pid}\n`)
  await t.rejects(takeLock(file), {
    code: ExitCode.unreachable,
    message: new RegExp(`kill ${other.pid}`),
  })
  t.equal(readFileSync(file, "utf8"), `${other.pid}\n`, "the lock is left to its owner")
})

t.test("the lock of an ended process is taken over", async (t) => {
  const file = join(t.testdir(), "dev.lock")
  const other = await pretend(t, "dev")
  other.kill("SIGKILL")
  await once(other, "exit")
  writeFileSync(file, `${other.pid}\n`)
  const lock = await takeLock(file)
  t.equal(readFileSync(file, "utf8"), `${process.pid}\n`)
  await lock.release()
})

t.test("the lock is taken over if its process id now belongs to another program", async (t) => {
  const file = join(t.testdir(), "dev.lock")
  const stranger = await pretend(t, "editor")
  writeFileSync(file, `${stranger.pid}\n`)
  await (await takeLock(file)).release()
  t.equal(stranger.exitCode, null, "the stranger was left alone")
})

t.test("the lock waits for the children of a killed dev", async (t) => {
  const file = join(t.testdir(), "dev.lock")
  const gone = await pretend(t, "dev")
  gone.kill("SIGKILL")
  await once(gone, "exit")
  const orphan = await pretend(t, "/somewhere/signer/main.ts")
  writeFileSync(file, `${gone.pid}\n${orphan.pid} signer\n`)
  const taking = takeLock(file)
  const early = await Promise.race([taking.then(() => "taken"), pause(200, "waits")])
  t.equal(early, "waits", "while the child lives")
  orphan.stdin.end() // as its dead parent would
  await (await taking).release()
})
