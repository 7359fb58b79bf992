import { usageOf } from "../process-usage.ts"
import { quantile } from "../spread.ts"
import { createFor, makeKeys } from "./creation.ts"
import type { RunningDeployment } from "./deployment.ts"
import { askCaller, askStore, type LookUp, lookUps } from "./lookups.ts"
import { touch } from "./touch.ts"

/** Times of one look-up in one round, milliseconds. */
export type Latency = { p50Ms: number; p99Ms: number; storeP50Ms: number }
/** One round of one size: look-ups by their names, and creation. */
export type SizeRound = { latencies: Record<string, Latency>; creation: Creation }
export type Creation = { perSecond: number; cpuUs: Partial<Record<"api" | "signer" | "postgres", number>> }

export type Effort = { samples: number; seconds: number }

/** So many clients create at once. */
export const CREATORS = 16

export async function measureSize(deployment: RunningDeployment, effort: Effort): Promise<SizeRound> {
  const latencies: Record<string, Latency> = {}
  for (const [name, make] of Object.entries(lookUps)) {
    latencies[name] = await measureLookUp(deployment, effort.samples, (number) => make(number, deployment))
  }
  return { latencies, creation: await measureCreation(deployment, effort.seconds) }
}

async function measureLookUp(
  { caller, sql, parentId, count }: RunningDeployment,
  samples: number,
  make: (number: number) => LookUp,
): Promise<Latency> {
  // Elsewhere each time: a customer who was looked up once would be found in memory.
  const pick = () => make(Math.floor(Math.random() * count))
  const [asked, ofStore] = [new Float64Array(samples), new Float64Array(samples)]
  for (let at = 0; at < samples; at++) {
    asked[at] = await askCaller(caller, parentId, pick())
    ofStore[at] = await askStore(sql, parentId, pick())
  }
  const sorted = asked.toSorted()
  return {
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    storeP50Ms: quantile(ofStore.toSorted(), 0.5),
  }
}

/** The keys of a window are made before it; more than any window has needed. */
const KEYS_PER_SECOND = 1000

async function measureCreation(deployment: RunningDeployment, seconds: number): Promise<Creation> {
  const { caller, parentId, processes } = deployment
  const keys = makeKeys(Math.ceil(seconds * KEYS_PER_SECOND))
  const before = readUsage(processes)
  const { perSecond, count } = await createFor(caller, parentId, { seconds, connections: CREATORS, keys })
  const after = readUsage(processes)
  const cpuUs: Creation["cpuUs"] = {}
  for (const part of ["api", "signer", "postgres"] as const) {
    const [start, end] = [before[part], after[part]]
    if (start !== undefined && end !== undefined) cpuUs[part] = ((end - start) * 1000) / count
  }
  return { perSecond, cpuUs }
}

/** CPU time so far, milliseconds. */
function readUsage({ api, signer, postgres }: RunningDeployment["processes"]) {
  return {
    api: usageOf(api, "itself")?.cpuMs,
    signer: usageOf(signer, "itself")?.cpuMs,
    postgres: postgres === undefined ? undefined : usageOf(postgres, "children")?.cpuMs,
  }
}

/** Resident memory of the signer, MiB: before, and after it opened so many organizations. */
export type MemoryStep = { touched: number; residentMiB: number | undefined }

export async function measureMemory(
  deployment: RunningDeployment,
  steps: readonly number[],
): Promise<MemoryStep[]> {
  const { caller, count, processes } = deployment
  const memory = () => usageOf(processes.signer, "itself")?.residentMiB
  const measured: MemoryStep[] = [{ touched: 0, residentMiB: memory() }]
  let touched = 0
  for (const step of steps) {
    const until = Math.min(step, count)
    if (until <= touched) continue
    await touch(caller, touched, until)
    touched = until
    measured.push({ touched, residentMiB: memory() })
  }
  return measured
}
