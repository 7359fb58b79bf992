import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { promisify } from "node:util"
import { NODE_OPTIONS } from "../common/node-options.ts"

/** The directory of package.json. */
export const ROOT = resolve(import.meta.dirname, "../..")

/** Processes of the untrusted hosts. Each image has only its own. `listen`: setting of the address that `doctor` asks. */
export const PROCESSES = {
  api: { name: "api", folder: "services/api", listen: "COUNTERSIGN_API_LISTEN" },
  proxy: { name: "auth proxy", folder: "services/auth-proxy", listen: "COUNTERSIGN_AUTH_PROXY_LISTEN" },
  worker: { name: "worker", folder: "services/worker", listen: "COUNTERSIGN_WORKER_LISTEN" },
  dashboard: {
    name: "dashboard",
    folder: "services/dashboard-host",
    listen: "COUNTERSIGN_DASHBOARD_LISTEN",
  },
} as const

export type ProcessName = keyof typeof PROCESSES

const execute = promisify(execFile)

export type Ended = { status: number; out: string; log: string }

/** Runs a program of this installation until it ends. */
export async function runProgram(
  file: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Ended> {
  const options = { cwd: ROOT, env: environment, maxBuffer: 16 * 1024 * 1024 }
  try {
    const { stdout, stderr } = await execute(process.execPath, [...NODE_OPTIONS, file, ...words], options)
    return { status: 0, out: stdout, log: stderr }
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string }
    return { status: typeof code === "number" ? code : 1, out: stdout, log: stderr }
  }
}
