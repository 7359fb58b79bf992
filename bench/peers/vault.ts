import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { Place } from "../places.ts"
import { strangerFor } from "../system/organization.ts"
import { freePort } from "../system/port.ts"

const TOKEN = "bench-root-token"
const START_MS = 30_000

/**
 * Starts Vault's development server as its documentation describes, in memory, with an audit file and one P-256 key of its transit
 * engine. A request has a bearer token in place of a stamp, and an unsynced audit line in place of a stored row; keys have no process
 * of their own. @param program the binary, which the project does not install
 */
export async function startVault(program: string, directory: string): Promise<Place> {
  await mkdir(directory, { mode: 0o755 })
  const port = await freePort()
  const words = ["server", "-dev", `-dev-root-token-id=${TOKEN}`, `-dev-listen-address=127.0.0.1:${port}`]
  const child = spawn(program, [...words, "-log-level=error"], {
    stdio: "ignore",
    env: { PATH: process.env["PATH"], HOME: directory },
  })
  await once(child, "spawn")
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  }
  try {
    const call = (method: string, path: string, body: object) => ask(port, method, path, body)
    await untilReady(port)
    await call("PUT", "sys/audit/file", {
      type: "file",
      options: { file_path: join(directory, "audit.log") },
    })
    await call("POST", "sys/mounts/transit", { type: "transit" })
    await call("POST", "transit/keys/bench", { type: "ecdsa-p256" })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    target: { ...strangerFor(port), signs: "vault", bearer: TOKEN },
    processes: child.pid === undefined ? {} : { peer: child.pid },
    settle: async () => undefined,
    stop,
  }
}

async function untilReady(port: number): Promise<void> {
  const end = performance.now() + START_MS
  for (;;) {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/sys/health`).catch(() => undefined)
    if (reply?.status === 200) return
    if (performance.now() > end) throw new Error("Vault was not ready in time")
    await pause(100)
  }
}

async function ask(port: number, method: string, path: string, body: object): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
    method,
    headers: { "x-vault-token": TOKEN },
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(`Vault refused ${path}: ${await reply.text()}`)
}
