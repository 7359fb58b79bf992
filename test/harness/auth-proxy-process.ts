import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { proxyOwnKey } from "./auth-proxy.ts"
import { freePort } from "./free-port.ts"
import { patienceMs } from "./patience.ts"
import type { System } from "./system.ts"

const PATIENCE_MS = patienceMs(30_000)
const POLL_MS = 25

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** Starts the auth proxy of a system whose signer is paired with `proxyOwnKey`. Returns its address once it is ready. */
export async function startAuthProxy(t: Teardown, system: System): Promise<string> {
  return (await startAuthProxyProcess(t, system)).proxyUrl
}

/** As `startAuthProxy`, with the process, and settings beside the usual ones. */
export async function startAuthProxyProcess(
  t: Teardown,
  system: System,
  settings: NodeJS.ProcessEnv = {},
): Promise<{ proxyUrl: string; child: ChildProcess }> {
  const { json: pins } = await system.send("/public/v1/pins", {})
  const directory = join(system.directory, "auth-proxy")
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const keyFile = join(directory, "key")
  writeFileSync(keyFile, proxyOwnKey.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  const port = await freePort()
  const logFile = join(directory, "log")
  const log = openSync(logFile, "a", 0o600)
  const child = spawn(process.execPath, ["services/auth-proxy/main.ts"], {
    cwd: join(import.meta.dirname, "..", ".."),
    env: {
      PATH: process.env["PATH"],
      COUNTERSIGN_EXIT_WITH_PARENT: "1",
      COUNTERSIGN_AUTH_PROXY_API_URL: system.url,
      COUNTERSIGN_AUTH_PROXY_KEY_FILE: keyFile,
      COUNTERSIGN_AUTH_PROXY_LISTEN: `127.0.0.1:${port}`,
      COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY: String(pins["notarizerPublicKey"]),
      // All callers of a test share one address.
      COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_ADDRESS: "10000",
      COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_CONFIGURATION: "10000",
      COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: "0",
      ...settings,
    },
    stdio: ["pipe", "ignore", log],
  })
  closeSync(log)
  t.teardown(async () => {
    const gone = once(child, "exit")
    child.kill("SIGTERM")
    await gone
  })
  const url = `http://127.0.0.1:${port}`
  const giveUp = performance.now() + PATIENCE_MS
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (performance.now() > giveUp)
      throw new Error(`the auth proxy was not ready in time:\n${readFileSync(logFile, "utf8")}`)
    await pause(POLL_MS)
  }
  return { proxyUrl: url, child }
}
