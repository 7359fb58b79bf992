import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs"
import { arch, availableParallelism, cpus, platform, totalmem } from "node:os"
import { join } from "node:path"
import { quantile, writeNumber } from "./spread.ts"

/** Facts needed to read the figures; none identifies the machine. */
export type Machine = {
  cores: number
  processor: string
  memoryGiB: number
  system: string
  node: string
  /** Median time of one small fdatasync where the databases lie. */
  syncMs: number
}

const SYNCS = 100

/** CPU time that all cores together have spent at work since the machine started. */
export function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}

export function describeMachine(directory: string): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
    node: process.version,
    syncMs: measureSync(join(directory, "sync")),
  }
}

/** `Machine: 2 cores (…), 8 GiB, linux x64, Node v24.0.0`, without a period. */
export function machineText({ cores, processor, memoryGiB, system, node }: Machine): string {
  return `Machine: ${cores} cores (${processor}), ${memoryGiB} GiB, ${system}, Node ${node}`
}

/** The same, with the time of a sync, on which figures of writes depend. */
export function machineTextWithSync(machine: Machine): string {
  return `${machineText(machine)}; a sync of the disk takes ${writeNumber(machine.syncMs)} ms`
}

function measureSync(path: string): number {
  const file = openSync(path, "w", 0o600)
  const page = Buffer.alloc(8192)
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(file, page)
    const start = performance.now()
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  rmSync(path)
  return quantile(Float64Array.from(times).toSorted(), 0.5)
}
