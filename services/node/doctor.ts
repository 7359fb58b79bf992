import { existsSync } from "node:fs"
import { join } from "node:path"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import { listenSettings } from "../common/settings.ts"
import { ROOT, runProgram } from "./programs.ts"

/** Result of one check. FAULT: the operator has to act. DOWN: a process or the database does not answer or is not ready. */
export type Check = { name: string; state: "ok" | "FAULT" | "DOWN"; sentence: string }

const PROCESSES = [
  { name: "api", folder: "services/api", setting: "COUNTERSIGN_API_LISTEN" },
  { name: "auth proxy", folder: "services/auth-proxy", setting: "COUNTERSIGN_AUTH_PROXY_LISTEN" },
  { name: "worker", folder: "services/worker", setting: "COUNTERSIGN_WORKER_LISTEN" },
] as const

const TIMEOUT_MS = 5_000

/** Checks this host: settings as each process reads them, the database's schema, and the readiness that each process reports. */
export async function doctor(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const installed = PROCESSES.filter(({ folder }) => existsSync(join(ROOT, folder, "check-settings.ts")))
  const settings = await Promise.all(
    installed.map(async ({ name, folder }) => ofSettings(name, await faultsOf(folder, environment))),
  )
  const hasFault = settings.some(({ state }) => state === "FAULT")
  if (hasFault) return settings
  const hasApi = installed.some(({ name }) => name === "api")
  return [
    ...settings,
    ...(hasApi ? [await ofDatabase(environment)] : []),
    ...(await Promise.all(
      installed.map(({ name, setting }) =>
        ofProcess(name, listenSettings[setting](environment[setting] || undefined)),
      ),
    )),
  ]
}

async function faultsOf(folder: string, environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { out, log } = await runProgram(`${folder}/check-settings.ts`, [], environment)
  try {
    return JSON.parse(out) as string[]
  } catch {
    return [log.trim() || "the settings could not be checked"]
  }
}

function ofSettings(name: string, faults: readonly string[]): Check {
  const isFaulty = faults.length > 0
  return {
    name: `settings of the ${name}`,
    state: isFaulty ? "FAULT" : "ok",
    sentence: isFaulty ? faults.join("; ") : "can be used",
  }
}

async function ofDatabase(environment: NodeJS.ProcessEnv): Promise<Check> {
  const name = "database"
  const { status, out, log } = await runProgram("services/api/migrations.ts", ["plan", "--json"], environment)
  const migrations = readMigrations(out)
  if (migrations === undefined)
    return {
      name,
      state: "DOWN",
      sentence: log.trim().replace(/^countersign-node: /, "") || "it does not answer",
    }
  const named = (state: string) => migrations.filter((one) => one.state === state).map((one) => one.name)
  const [pending, altered] = [named("pending"), named("altered")]
  if (status !== 0 || altered.length > 0)
    return { name, state: "FAULT", sentence: `altered after they had been applied: ${altered.join(", ")}` }
  if (pending.length === 0) return { name, state: "ok", sentence: "its schema is up to date" }
  const sentence = `${pending.length} migrations are pending: countersign-node db migrate, or start the API`
  return { name, state: "DOWN", sentence }
}

function readMigrations(out: string): { name: string; state: string }[] | undefined {
  try {
    return (JSON.parse(out) as { migrations: { name: string; state: string }[] }).migrations
  } catch {
    return undefined
  }
}

async function ofProcess(name: string, { host, port }: HostAndPort): Promise<Check> {
  const at = host === "0.0.0.0" || host === "::" ? "localhost" : host
  const url = `http://${at.includes(":") ? `[${at}]` : at}:${port}/readyz`
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = (await reply.text()).trim()
    return {
      name,
      state: reply.ok ? "ok" : "DOWN",
      sentence: reply.ok ? `ready, ${url}` : `not ready: ${text}`,
    }
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string }; message: string }
    return { name, state: "DOWN", sentence: `no answer from ${url} (${cause?.code ?? message})` }
  }
}
