import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { startChild } from "../child.ts"
import { inOwnDirectory } from "../own-directory.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { usageOf } from "../process-usage.ts"
import { watchDrift } from "../run.ts"
import { startEmbedded } from "../system/database-server.ts"
import { makeCustomers } from "./customers.ts"
import { startIssuer } from "./issuer.ts"
import type { LiveCodesAnswer, LiveCodesQuestion } from "./live-codes.ts"
import { type LoginRate, Logins, type Way } from "./logins.ts"
import { Outbox } from "./outbox.ts"
import { type LoginSystem, startLoginSystem } from "./system.ts"

export type LoginPlan = {
  rounds: number
  /** Length of one window. */
  seconds: number
  connections: number
  /** Customers who log in in turn. */
  customers: number
  /** One-time codes that are live at once. */
  liveCodes: number
}

export const FULL_PLAN: LoginPlan = {
  rounds: 5,
  seconds: 4,
  connections: 16,
  customers: 500,
  liveCodes: 100_000,
}
export const SHORT_PLAN: LoginPlan = { rounds: 1, seconds: 0.2, connections: 2, customers: 4, liveCodes: 200 }

const PARTS = ["api", "signer", "fetcher", "proxy"] as const
type Part = (typeof PARTS)[number]

/** One window; CPU time in milliseconds for each login, without processes whose CPU time the system does not report. */
export type LoginWindow = LoginRate & { cpuMs: Partial<Record<Part, number>> }

export type LoginRound = Record<Way, LoginWindow>

export type LoginRun = {
  machine: Machine
  rounds: LoginRound[]
  codes: LiveCodesAnswer
  /** Change of the bare signature from start to end, as a share of the slower. */
  drift: number
}

export function measureLogins(plan: LoginPlan, say: (line: string) => void): Promise<LoginRun> {
  return inOwnDirectory(async ({ directory, interruption, stops, started }) => {
    const anchors = started(await startChild(new URL("../anchors.ts", import.meta.url)))
    say("starts the service, and makes customers")
    const issuer = started(await startIssuer())
    await mkdir(join(directory, "service"), { mode: 0o755 })
    const database = started(await startEmbedded(join(directory, "service", "postgres")))
    const place = { directory: join(directory, "service", "system"), database, issuer: issuer.url }
    const system = started(await startLoginSystem(place))
    const { configId, customers } = await makeCustomers(system, issuer, plan.customers)
    const parts = { proxyUrl: system.proxyUrl, configId, issuer, outbox: new Outbox(system.outbox) }
    const logins = new Logins(parts, customers)
    stops.push(() => logins.close())
    say("warms up")
    for (const way of ["otp", "oidc"] as const) await logins.measure(way, plan)
    const drift = await watchDrift(anchors, plan.seconds)
    const rounds: LoginRound[] = []
    for (let round = 1; round <= plan.rounds; round++) {
      interruption.check()
      say(`round ${round} of ${plan.rounds}`)
      const otp = await measureWindow(system, () => logins.measure("otp", plan))
      rounds.push({ otp, oidc: await measureWindow(system, () => logins.measure("oidc", plan)) })
    }
    const moved = await drift()
    say(`starts ${plan.liveCodes} codes`)
    const codes = await measureCodes(plan.liveCodes)
    return { machine: describeMachine(directory), rounds, codes, drift: moved }
  })
}

async function measureWindow(
  system: Pick<LoginSystem, Part>,
  measure: () => Promise<LoginRate & { count: number }>,
): Promise<LoginWindow> {
  const before = PARTS.map((part) => usageOf(system[part], "itself")?.cpuMs)
  const { count, ...rate } = await measure()
  const cpuMs: LoginWindow["cpuMs"] = {}
  for (const [index, part] of PARTS.entries()) {
    const [from, to] = [before[index], usageOf(system[part], "itself")?.cpuMs]
    if (from !== undefined && to !== undefined) cpuMs[part] = (to - from) / count
  }
  return { ...rate, cpuMs }
}

async function measureCodes(codes: number): Promise<LiveCodesAnswer> {
  const child = await startChild(new URL("live-codes.ts", import.meta.url))
  try {
    return (await child.ask({ codes } satisfies LiveCodesQuestion)) as LiveCodesAnswer
  } finally {
    await child.stop()
  }
}
