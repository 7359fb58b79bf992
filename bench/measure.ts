import { availableParallelism } from "node:os"
import type { AnchorAnswer } from "./anchors.ts"
import type { Child } from "./child.ts"
import type { Measurement } from "./goals.ts"
import type { LoadAnswer, LoadQuestion } from "./load/target.ts"
import { busyMs } from "./machine.ts"
import type { Place } from "./places.ts"
import { type Usage, usageOf } from "./process-usage.ts"
import { type AnchorName, readLoadName } from "./series.ts"

type Part = "api" | "signer" | "postgres" | "peer"
const parts: readonly Part[] = ["api", "signer", "postgres", "peer"]

export async function measureAnchor(anchors: Child, name: AnchorName, seconds: number): Promise<Measurement> {
  const { perSecond, cpuUs } = (await anchors.ask({ name, seconds })) as AnchorAnswer
  return { perSecond, cpuUs: { floor: cpuUs } }
}

/** A process that was idle has shrunk its heap and left the processor's caches. */
const MOST_WARM_UP_SECONDS = 1

/** One window over as many connections as the series says: before it the place warms up, which is not counted. */
export async function measureLoad(
  load: Child,
  { target, processes }: Pick<Place, "target" | "processes">,
  series: string,
  seconds: number,
): Promise<Measurement> {
  const ask = (question: LoadQuestion) => load.ask(question)
  await ask({
    ask: "begin",
    target,
    series,
    connections: readLoadName(series).connections,
    seconds,
    warmUpSeconds: Math.min(seconds / 2, MOST_WARM_UP_SECONDS),
  })
  const before = readUsage(processes)
  const [busyBefore, startedAt] = [busyMs(), performance.now()]
  const { perSecond, p50Ms, p99Ms, requests, loadCpuUs } = (await ask({ ask: "finish" })) as LoadAnswer
  const [busyAfter, elapsedMs] = [busyMs(), performance.now() - startedAt]
  const after = readUsage(processes)
  const cpuUs: Measured = { load: loadCpuUs }
  const residentMiB: Measured = {}
  const proportionalMiB: Measured = {}
  for (const part of parts) {
    const [start, end] = [before[part], after[part]]
    if (start === undefined || end === undefined) continue
    cpuUs[part] = ((end.cpuMs - start.cpuMs) * 1000) / requests
    residentMiB[part] = end.residentMiB
    if (end.proportionalMiB !== undefined) proportionalMiB[part] = end.proportionalMiB
  }
  const measurement = { perSecond, p50Ms, p99Ms, cpuUs, residentMiB, proportionalMiB }
  if (cpuUs.postgres === undefined && cpuUs.peer === undefined) return measurement
  const oursMs = (Object.values(cpuUs).reduce((sum, time) => sum + time, 0) * requests) / 1000
  const othersShare = Math.max(busyAfter - busyBefore - oursMs, 0) / (availableParallelism() * elapsedMs)
  return { ...measurement, othersShare }
}

type Measured = Partial<Record<Part | "load", number>>

function readUsage(processes: Place["processes"]): Partial<Record<Part, Usage>> {
  const seen: Partial<Record<Part, Usage>> = {}
  for (const part of parts) {
    const pid = processes[part]
    const usage = pid === undefined ? undefined : usageOf(pid, part === "signer" ? "itself" : "children")
    if (usage) seen[part] = usage
  }
  return seen
}
