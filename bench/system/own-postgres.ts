import { execFile, spawn } from "node:child_process"
import { chown, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import { type DatabaseServer, versionOf } from "./database-server.ts"

export type Installation = { bin: string; uid: number; gid: number }

const PATIENCE_MS = 15_000
const POLL_MS = 50
/** As the embedded server's cluster is made. */
const INITDB = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"]

/** Runs a server from given programs on a socket, with an environment that may change what its C library does. */
export async function startOwnPostgres(
  { bin, uid, gid }: Installation,
  directory: string,
  environment: Record<string, string> = {},
): Promise<DatabaseServer> {
  const data = join(directory, "data")
  await mkdir(directory, { mode: 0o700 })
  const identity = process.getuid?.() === 0 ? { uid, gid } : {}
  if (identity.uid !== undefined) await chown(directory, uid, gid)
  const options = { ...identity, cwd: directory, env: { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" } }
  await promisify(execFile)(join(bin, "initdb"), ["-D", data, "-U", "bench", ...INITDB], options)
  const server = spawn(join(bin, "postgres"), ["-D", data, "-k", directory, "-c", "listen_addresses="], {
    ...options,
    env: { ...options.env, ...environment },
    detached: true,
    stdio: "ignore",
  })
  const ended = new Promise<void>((resolve) => {
    server.once("error", () => resolve())
    server.once("exit", () => resolve())
  })
  const url = `postgres://bench@${encodeURIComponent(directory)}/postgres`
  const stop = async () => {
    server.kill("SIGINT")
    await ended
  }
  const giveUp = performance.now() + PATIENCE_MS
  for (;;) {
    const version = await versionOf(url).catch(() => undefined)
    if (version !== undefined) return { url, pid: server.pid, version, stop }
    if (performance.now() > giveUp || server.exitCode !== null) {
      await stop()
      throw new Error("PostgreSQL did not start")
    }
    await pause(POLL_MS)
  }
}
