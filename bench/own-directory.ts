import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { watchInterruption } from "./interruption.ts"

/** The folder of a run, and the programs that it starts. */
export type RunContext = {
  /** A folder of its own, which is removed at the end. */
  directory: string
  interruption: ReturnType<typeof watchInterruption>
  /** Called at the end of the run, the last one first. */
  stops: (() => unknown)[]
  /** Notes that a part of the system is to be stopped at the end. */
  started: <Part extends { stop(): unknown }>(part: Part) => Part
}

/** Runs a measurement in a folder of its own; afterwards stops everything that it started. */
export async function inOwnDirectory<Result>(
  measure: (context: RunContext) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-bench-"))
  await chmod(directory, 0o755) // servers that may not run as root live below
  const interruption = watchInterruption()
  const stops: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })]
  const started = <Part extends { stop(): unknown }>(part: Part) => {
    stops.push(() => part.stop())
    return part
  }
  try {
    return await measure({ directory, interruption, stops, started })
  } finally {
    for (const stop of stops.toReversed()) await stop()
    interruption.end()
  }
}
