// A log that takes no more lines neither stops a process nor lets it hang.
import { spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { join } from "node:path"
import t, { type Test } from "tap"
import { freePort } from "../harness/free-port.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"

const ROOT = join(import.meta.dirname, "..", "..")
/** More log lines than a pipe holds. */
const REQUESTS = isLong ? 4_000 : 1_000
const AT_ONCE = 40

/** Starts a program with this standard error; ends it with the test. */
function start(
  t: Test,
  file: string,
  words: string[],
  environment: NodeJS.ProcessEnv,
  errors: number | "pipe",
) {
  const child = spawn(process.execPath, [join(ROOT, file), ...words], {
    env: { PATH: process.env["PATH"], ...environment },
    // A pipe that this test never reads fills.
    stdio: ["ignore", "ignore", errors],
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  t.teardown(async () => {
    child.kill("SIGKILL")
    await ended
  })
  return child
}

async function answers(url: string): Promise<boolean> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(patienceMs(5_000)) }).catch(() => undefined)
  await reply?.text()
  return reply?.ok ?? false
}

const LOGS = [
  ["a log on a full disk", "/dev/full"],
  ["a log that nobody reads", "pipe"],
] as const

for (const [name, errors] of LOGS)
  t.test(`${name} stops and hangs no request`, async (t) => {
    const port = await freePort()
    const log = errors === "pipe" ? errors : openSync(errors, "w")
    const environment = { COUNTERSIGN_AUTH_PROXY_LISTEN: `127.0.0.1:${port}` }
    start(t, "services/auth-proxy/main.ts", [], environment, log)
    if (typeof log === "number") closeSync(log)
    const url = `http://127.0.0.1:${port}/livez`
    while (!(await answers(url))) await pause(50)
    let answered = 0
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => answers(url)))
      if (replies.includes(false)) break
      answered += AT_ONCE
    }
    t.equal(answered, REQUESTS)
  })

// The lines of a start do not fill a pipe: a full disk is the harder case.
for (const [name, errors] of casesOf(1, LOGS))
  t.test(`${name} does not keep the signer from its start, nor its operator from it`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "cs-log-"))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    const environment = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory }
    const log = errors === "pipe" ? errors : openSync(errors, "w")
    const signer = start(t, "signer/enclave/main.ts", ["--init"], environment, log)
    if (typeof log === "number") closeSync(log)
    const status = ["signer/operator/main.ts", "status", "--wait", "60"]
    const operator = spawn(process.execPath, status, { cwd: ROOT, env: environment, stdio: "ignore" })
    const [code] = await Promise.race([
      new Promise<[number | null]>((resolve) => operator.once("exit", (code) => resolve([code]))),
      new Promise<[number | null]>((resolve) => signer.once("exit", () => resolve([-1]))),
    ])
    operator.kill("SIGKILL")
    t.equal(code, 0)
    t.equal(signer.exitCode, null)
  })
