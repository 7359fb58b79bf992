import { readFileSync } from "node:fs"

/** CPU time is user and system together; memory in MiB. `shared`: pages of several processes, divided among them. */
export type Usage = { cpuMs: number; residentMiB: number; proportionalMiB: number | undefined }

/** The kernel counts in ticks, 100 a second on every Linux that Node runs on. */
const TICK_MS = 10
const KIB_PER_MIB = 1024

/** Reads the usage of a process, or of a process with its children as sum; undefined where there is no /proc. */
export function usageOf(pid: number, including: "itself" | "children"): Usage | undefined {
  try {
    const pids = including === "itself" ? [pid] : [pid, ...childrenOf(pid)]
    const parts = pids.flatMap((each) => readUsage(each) ?? [])
    if (parts.length === 0) return undefined
    const sum = (read: (usage: Usage) => number) => parts.reduce((total, part) => total + read(part), 0)
    return {
      cpuMs: sum(({ cpuMs }) => cpuMs) + (including === "children" ? cpuOfGoneChildrenMs(pid) : 0),
      residentMiB: sum(({ residentMiB }) => residentMiB),
      proportionalMiB: parts.some(({ proportionalMiB }) => proportionalMiB === undefined)
        ? undefined
        : sum(({ proportionalMiB }) => proportionalMiB ?? 0),
    }
  } catch {
    return undefined
  }
}

function readUsage(pid: number): Usage | undefined {
  try {
    const [user = 0, system = 0] = readTimes(pid)
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return {
      cpuMs: (user + system) * TICK_MS,
      residentMiB: Number(resident ?? 0) / KIB_PER_MIB,
      proportionalMiB: readProportional(pid),
    }
  } catch {
    return undefined // it ended in between
  }
}

function readProportional(pid: number): number | undefined {
  try {
    const proportional = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]
    return proportional === undefined ? undefined : Number(proportional) / KIB_PER_MIB
  } catch {
    return undefined // only the same user may read it
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  return text === "" ? [] : text.split(" ").map(Number)
}

function cpuOfGoneChildrenMs(pid: number): number {
  const [, , user = 0, system = 0] = readTimes(pid)
  return (user + system) * TICK_MS
}

/** utime, stime, cutime, cstime: fields 14 to 17 of proc_pid_stat(5), counted behind the name in brackets. */
function readTimes(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8")
  return text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number)
}
