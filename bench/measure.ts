import type { AnchorAnswer } from "./anchors.ts"
import type { Child } from "./child.ts"
import type { Measurement } from "./goals.ts"
import type { LoadAnswer, LoadQuestion } from "./load/target.ts"
import type { Place } from "./places.ts"
import { type Usage, usageOf } from "./process-usage.ts"
import type { AnchorName } from "./series.ts"

type Part = "api" | "signer" | "postgres"
const parts: readonly Part[] = ["api", "signer", "postgres"]

export async function measureAnchor(anchors: Child, name: AnchorName, seconds: number): Promise<Measurement> {
  const { perSecond, cpuUs } = (await anchors.ask({ name, seconds })) as AnchorAnswer
  return { perSecond, cpuUs: { floor: cpuUs } }
}

/** One window: its first part warms up and is not counted. */
export async function measureLoad(
  load: Child,
  { target, processes }: Place,
  connections: number,
  seconds: number,
): Promise<Measurement> {
  const ask = (question: LoadQuestion) => load.ask(question)
  await ask({ ask: "begin", target, connections, seconds, warmUpSeconds: Math.min(seconds / 4, 0.5) })
  const before = look(processes)
  const { perSecond, p50Ms, p99Ms, requests, loadCpuUs } = (await ask({ ask: "finish" })) as LoadAnswer
  const after = look(processes)
  const measurement = {
    perSecond,
    p50Ms,
    p99Ms,
    cpuUs: { load: loadCpuUs },
    residentMiB: {},
    proportionalMiB: {},
  }
  const { cpuUs, residentMiB, proportionalMiB }: Measurement = measurement
  for (const part of parts) {
    const [start, end] = [before[part], after[part]]
    if (start === undefined || end === undefined) continue
    if (cpuUs) cpuUs[part] = ((end.cpuMs - start.cpuMs) * 1000) / requests
    if (residentMiB) residentMiB[part] = end.residentMiB
    if (proportionalMiB && end.proportionalMiB !== undefined) proportionalMiB[part] = end.proportionalMiB
  }
  return measurement
}

function look(processes: Place["processes"]): Partial<Record<Part, Usage>> {
  const seen: Partial<Record<Part, Usage>> = {}
  for (const part of parts) {
    const pid = processes[part]
    const usage = pid === undefined ? undefined : usageOf(pid, part === "postgres" ? "children" : "itself")
    if (usage) seen[part] = usage
  }
  return seen
}
