import { existsSync, readFileSync } from "node:fs"
import { type Check, ok } from "../../signer/core/checks.ts"
import { counted } from "../../signer/core/counted.ts"
import { certificateOf, revocationsIn } from "../../signer/core/crypto/certificate.ts"
import { revocationFileOf } from "../../signer/core/crypto/revocations.ts"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import { daysInWords, daysUntil, urgencyOf } from "../common/certificate-days.ts"
import { listenSettings, localUrl } from "../common/settings.ts"
import { PROCESSES, type ProcessName, runProgram } from "./programs.ts"
import { installed, listingOf } from "./settings.ts"

const ASKED = ["api", "proxy", "worker"] as const satisfies readonly ProcessName[]

/** A host may serve no dashboard: it is asked where a setting of its own is there. */
const OF_DASHBOARD = "COUNTERSIGN_DASHBOARD_"

const TIMEOUT_MS = 5_000

/**
 * Checks this host: settings as each process reads them, the database's schema, the API's certificates, and the readiness that each process
 * reports.
 */
export async function doctor(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const hasDashboard = Object.keys(environment).some((name) => name.startsWith(OF_DASHBOARD))
  const present = installed<ProcessName>(hasDashboard ? [...ASKED, "dashboard"] : ASKED)
  const settings = await Promise.all(
    present.map(async (process) => {
      const { name, folder } = PROCESSES[process]
      const { faults } = await listingOf(folder, environment)
      return ofSettings(name, faults)
    }),
  )
  const hasFault = settings.some(({ state }) => state === "FAULT")
  if (hasFault) return settings
  return [
    ...settings,
    ...(present.includes("api") ? [await ofDatabase(environment), ...ofCertificates(environment)] : []),
    ...(await Promise.all(
      present.map((process) => {
        const { name, listen } = PROCESSES[process]
        return ofProcess(name, listenSettings[listen](environment[listen] || undefined))
      }),
    )),
  ]
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
  const [pending, altered, unknown] = [named("pending"), named("altered"), named("unknown")]
  if (unknown.length > 0)
    return { name, state: "FAULT", sentence: `migrated by a later release: ${unknown.join(", ")}` }
  if (status !== 0 || altered.length > 0)
    return { name, state: "FAULT", sentence: `altered after they had been applied: ${altered.join(", ")}` }
  if (pending.length === 0) return ok(name, "its schema is up to date")
  const sentence = `${counted(pending.length, "pending migration")}: countersign-node db migrate, or start the API`
  return { name, state: "DOWN", sentence }
}

function readMigrations(out: string): { name: string; state: string }[] | undefined {
  try {
    return (JSON.parse(out) as { migrations: { name: string; state: string }[] }).migrations
  } catch {
    return undefined
  }
}

/** The API's own certificates, from the files that its settings name. */
function ofCertificates(environment: NodeJS.ProcessEnv): Check[] {
  const files = (["SIGNER", "FETCHER"] as const).flatMap((peer) => {
    const file = environment[`COUNTERSIGN_${peer}_CLIENT_CERTIFICATE_FILE`]
    const ca = environment[`COUNTERSIGN_${peer}_CA_FILE`]
    return file && ca ? [{ peer: peer.toLowerCase(), file, ca }] : []
  })
  if (files.length === 0)
    return [ok("certificates", "the API has none: signer and fetcher are sockets of this host")]
  return files.map(({ peer, file, ca }) => ofCertificate(`certificate to the ${peer}`, file, ca))
}

function ofCertificate(name: string, file: string, ca: string): Check {
  try {
    const terms = certificateOf({ certificate: readFileSync(file) })
    const daysLeft = daysUntil(terms.expiresAtMs, Date.now())
    const list = revocationFileOf(ca)
    const revoked = revocationsIn({ revocations: existsSync(list) ? readFileSync(list) : undefined })
    const sentence = `${file} (${terms.name}) ${daysInWords(daysLeft)}; ${revoked}`
    const states = { now: "FAULT", soon: "warn", none: "ok" } as const
    return { name, state: states[urgencyOf(daysLeft)], sentence }
  } catch (error) {
    return {
      name,
      state: "FAULT",
      sentence: `${file}: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

async function ofProcess(name: string, address: HostAndPort): Promise<Check> {
  const url = `${localUrl(address)}/readyz`
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
