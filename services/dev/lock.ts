import { appendFile, link, readFile, rm, writeFile } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"
import { CliError, ExitCode } from "../terminal-client/exit.ts"

/** Admits one `dev` per data directory. The lock file holds its process id and those of its children. */
export type Lock = {
  /** Records a child process, for the next `dev` after this one was killed. */
  recordPid: (pid: number, name: string) => Promise<void>
  release: () => Promise<void>
}

const ORPHAN_TIMEOUT_MS = 20_000
const POLL_MS = 50

/** @throws {CliError} unreachable: another `dev` has it */
export async function takeLock(file: string): Promise<Lock> {
  while (!(await create(file))) {
    const [owner = 0, ...children] = await readPids(file)
    if (await isRunning(owner, "dev")) {
      throw new CliError(
        ExitCode.unreachable,
        `another countersign dev, process ${owner}, runs on this data directory. Stop it: kill ${owner}. ` +
          "Or run a second system: COUNTERSIGN_DATA_DIR=… COUNTERSIGN_API_LISTEN=localhost:8090 " +
          "COUNTERSIGN_AUTH_PROXY_LISTEN=localhost:8091 COUNTERSIGN_DASHBOARD_LISTEN=localhost:8092 " +
          "COUNTERSIGN_WORKER_LISTEN=localhost:8093",
      )
    }
    // The owner was killed. Its children exit by themselves; wait until they release ports and files.
    for (const child of children) await waitForExit(child)
    await rm(file, { force: true })
  }
  return {
    recordPid: (pid, name) => appendFile(file, `${pid} ${name}\n`),
    release: () => rm(file, { force: true }),
  }
}

/** Creates the lock file together with its content, so that no reader sees it empty. */
async function create(file: string): Promise<boolean> {
  const staging = `${file}.${process.pid}`
  await writeFile(staging, `${process.pid}\n`, { mode: 0o600 })
  try {
    await link(staging, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    return false
  } finally {
    await rm(staging, { force: true })
  }
}

async function readPids(file: string): Promise<number[]> {
  const lines = await readFile(file, "utf8").catch(() => "")
  return lines
    .split("\n")
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => Number.isInteger(pid) && pid > 0)
}

async function waitForExit(pid: number): Promise<void> {
  const giveUp = performance.now() + ORPHAN_TIMEOUT_MS
  while (await isRunning(pid, "main.ts")) {
    if (performance.now() > giveUp) process.kill(pid, "SIGKILL")
    await pause(POLL_MS)
  }
}

/** True if the process runs and a word of its command line ends in this text: process ids are reused. */
async function isRunning(pid: number, ending: string): Promise<boolean> {
  if (pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined)
  return words === undefined || words.split("\0").some((word) => word.endsWith(ending))
}
