import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type Browser, chromium } from "playwright-core"

const MAIN = join(import.meta.dirname, "../../services/cli/main.ts")
const CHROMIUM = "/usr/bin/chromium"
const ANY_PORT = "localhost:0"

/** A development system, and its link that logs a browser in once. */
type Deployment = { link: string; stop: () => Promise<void> }

/** Starts `countersign dev` in a data directory. */
export async function startDeployment(directory: string): Promise<Deployment> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(COUNTERSIGN_|DATABASE_URL$)/.test(name))
  const child = spawn(process.execPath, [MAIN, "dev"], {
    env: {
      ...Object.fromEntries(kept),
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_API_LISTEN: ANY_PORT,
      COUNTERSIGN_AUTH_PROXY_LISTEN: ANY_PORT,
      COUNTERSIGN_DASHBOARD_LISTEN: ANY_PORT,
      COUNTERSIGN_WORKER_LISTEN: ANY_PORT,
    },
    stdio: ["ignore", "pipe", "ignore"],
  })
  const stop = async () => {
    if (child.exitCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  }
  let link: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    link ??= /http\S+\/enter#\S+/.exec(line)?.[0]
    if (line.startsWith("Ready") && link !== undefined) return { link, stop }
  }
  throw new Error("the development system ended before it was ready")
}

/** @throws Error if no Chromium is installed */
export function startBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM_PATH"] ?? CHROMIUM
  if (!existsSync(executablePath))
    throw new Error(
      `no Chromium at ${executablePath}: install Debian's chromium, or name one in CHROMIUM_PATH`,
    )
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] })
}
