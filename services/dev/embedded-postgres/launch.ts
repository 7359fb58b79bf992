import { type ChildProcess, execFile, spawn } from "node:child_process"
import { access, open, readdir, readFile, rename, rm, stat, truncate } from "node:fs/promises"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { CANNOT_RUN } from "./binaries.ts"
import { makePrivateDirectory, type ServerLocation } from "./location.ts"
import { findReady, isAlive } from "./postmaster.ts"

/** Superuser of the cluster, without password: the mode of the socket's directory protects it. */
export const DATABASE_USER = "countersign"

/** Size of the log above which a start empties it. */
const LOG_LIMIT_BYTES = 4 << 20

const POLL_MS = 10

/** The server's environment. This process's own may hold secrets, or PG… variables that change defaults. */
const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/local/bin:/usr/bin:/bin" }

export type Launched =
  | { ready: true; child: ChildProcess; pid: number }
  | { ready: false; locked: boolean; report: string }

/**
 * Runs initdb if the location has no data yet, in a directory of another name that is renamed when complete. So a killed
 * start, or a second start at the same time, never leaves an incomplete cluster under the final name.
 */
export async function initialize(location: ServerLocation, binaries: string): Promise<boolean> {
  const isThere = await access(join(location.data, "PG_VERSION")).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false
      throw new Error(`${location.data} cannot be read by this user: was it made by another one?`, {
        cause: error,
      })
    },
  )
  if (isThere) return false
  await removeAbandoned(location)
  const staging = `${location.data}.${process.pid}.new`
  await makePrivateDirectory(staging, location.account)
  // Without --no-sync a first start waits seconds for 970 files of a database that holds nothing yet. The kernel writes them within half a
  // minute; a power cut before that costs a development system its first half minute.
  const settings = [
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--data-checksums",
    "--no-instructions",
    "--no-sync",
  ]
  const program = join(binaries, "bin", "initdb")
  try {
    await promisify(execFile)(
      program,
      ["-D", staging, "-U", DATABASE_USER, ...settings],
      processOptions(location),
    )
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    throw new Error(code === "ENOENT" ? CANNOT_RUN : `initdb failed: ${stderr?.trim()}`, { cause: error })
  }
  await rename(staging, location.data).catch(async (error: NodeJS.ErrnoException) => {
    await rm(staging, { recursive: true, force: true })
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
  })
  return true
}

/** Starts one server and waits until it accepts connections or has ended. */
export async function launch(
  location: ServerLocation,
  binaries: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Launched> {
  const logStart = await fileSize(location.logFile)
  if (logStart > LOG_LIMIT_BYTES) await truncate(location.logFile)
  const log = await open(location.logFile, "a", 0o600)
  // Detached: Ctrl-C in the terminal reaches only this process, which stops the server after its last query.
  const child = spawn(
    join(binaries, "bin", "postgres"),
    ["-D", location.data, "-k", location.run, ...words({ ...ALWAYS, ...settings })],
    { ...processOptions(location), detached: true, stdio: ["ignore", log.fd, log.fd] },
  )
  const faults: Error[] = []
  child.once("error", (error) => faults.push(error))
  await log.close()
  child.unref()
  while (faults.length === 0 && child.exitCode === null && child.signalCode === null) {
    const running = await findReady(location.data)
    if (running && running.pid === child.pid) return { ready: true, child, pid: running.pid }
    await sleep(POLL_MS)
  }
  if (faults.length > 0) throw new Error(CANNOT_RUN, { cause: faults[0] })
  const printed = await readFile(location.logFile, "utf8")
  const report = printed.slice(logStart > LOG_LIMIT_BYTES ? 0 : logStart).trim()
  return { ready: false, locked: /lock file|shared memory block/.test(report), report }
}

/** No port, and a socket for its own user alone. */
const ALWAYS = { listen_addresses: "", unix_socket_permissions: "0700" }

const words = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** Spawn options with the server's user, and a working directory that this user may enter. */
function processOptions({ home, account }: ServerLocation) {
  const user = account ? { uid: account.uid, gid: account.gid } : {}
  return { ...user, cwd: home, env: ENVIRONMENT }
}

/** Removes staging directories of starts that were killed. */
async function removeAbandoned({ home, data }: ServerLocation): Promise<void> {
  for (const name of await readdir(home)) {
    const [, pid] = new RegExp(`^${basename(data)}\\.(\\d+)\\.new$`).exec(name) ?? []
    if (pid && (Number(pid) === process.pid || !isAlive(Number(pid)))) {
      await rm(join(home, name), { recursive: true, force: true })
    }
  }
}

async function fileSize(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.size,
    () => 0,
  )
}
