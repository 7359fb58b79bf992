import { appendFile, link, readFile, rm, writeFile } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"
import { CliError, ExitCode } from "../exit.ts"

/** One `dev` per data directory. Its process id stands in the lock file, below it those of its children. */
export type Lock = {
  /** Notes a child, for whoever finds the lock after we were killed. */
  note: (pid: number, name: string) => Promise<void>
  release: () => Promise<void>
}

const ORPHAN_PATIENCE_MS = 20_000
const POLL_MS = 50

export async function takeLock(file: string): Promise<Lock> {
  while (!(await create(file))) {
    const [owner = 0, ...children] = await readPids(file)
    if (await isOurs(owner, "dev")) {
      throw new CliError(
        ExitCode.refused,
        `another countersign dev, process ${owner}, runs on this data directory. Stop it: kill ${owner}. ` +
          "Or run a second system: COUNTERSIGN_DATA_DIR=… COUNTERSIGN_API_LISTEN=localhost:8090 " +
          "COUNTERSIGN_AUTH_PROXY_LISTEN=localhost:8091",
      )
    }
    // Its owner was killed. The children notice by themselves; until then ports and files are theirs.
    for (const child of children) await outlive(child)
    await rm(file, { force: true })
  }
  return {
    note: (pid, name) => appendFile(file, `${pid} ${name}\n`),
    release: () => rm(file, { force: true }),
  }
}

/** The lock appears with the process id in it: an empty one would look like that of nobody. */
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

async function outlive(pid: number): Promise<void> {
  const giveUp = performance.now() + ORPHAN_PATIENCE_MS
  while (await isOurs(pid, "main.ts")) {
    if (performance.now() > giveUp) process.kill(pid, "SIGKILL")
    await pause(POLL_MS)
  }
}

/** Whether the process lives and its command line has this word at an end: ids are used again by others. */
async function isOurs(pid: number, ending: string): Promise<boolean> {
  if (pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined)
  return words === undefined || words.split("\0").some((word) => word.endsWith(ending))
}
