import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { type Child, startChild } from "./child.ts"
import type { Round } from "./goals.ts"
import { describeMachine, type Machine } from "./machine.ts"
import { measureAnchor, measureLoad } from "./measure.ts"
import { type Place, startFloor } from "./places.ts"
import { isAnchor, readLoadName, type SeriesName } from "./series.ts"
import { watchInterruption } from "./interruption.ts"
import { NotRun, serviceNames, startService } from "./services.ts"

export type RunOptions = { seconds: number; rounds: number; profileTo?: string | undefined }

export type Run = {
  machine: Machine
  rounds: Round[]
  /** Why something could not be measured here, by place. */
  notRun: Record<string, string>
  /** Versions of PostgreSQL, by place. */
  databases: Record<string, string>
  /** How far the bare signature moved from start to end, as a share of the slower. */
  drift: number
}

/** Beyond this the machine was busy with something else. */
export const MOST_DRIFT = 0.15

/** A process is about a fifth dearer until it has served some ten thousand requests: its code is not compiled yet. */
const WARM_UP_WINDOWS = 5

/** Lets what a window left behind come to an end. */
const PAUSE_MS = 100

/** Starts everything that is needed, measures all of it once a round, stops everything. */
export async function measureAll(
  names: readonly SeriesName[],
  { seconds, rounds, profileTo }: RunOptions,
  say: (line: string) => void,
): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-bench-"))
  await chmod(directory, 0o755) // servers that may not run as root live below
  const stops: (() => Promise<void>)[] = [() => rm(directory, { recursive: true, force: true })]
  const interruption = watchInterruption()
  const child = async (file: string): Promise<Child> => {
    const started = await startChild(new URL(file, import.meta.url))
    stops.push(() => started.stop())
    return started
  }
  try {
    const anchors = await child("anchors.ts")
    const load = await child("load/main.ts")
    const run: Run = { machine: describeMachine(directory), rounds: [], notRun: {}, databases: {}, drift: 0 }
    const places = new Map<string, Place>()
    const wanted = names.flatMap((name) => (isAnchor(name) ? [] : readLoadName(name).place))
    for (const place of new Set(wanted)) {
      interruption.check()
      say(`starts ${place}`)
      const started = await start(place, join(directory, place.replaceAll(" ", "-")), run, profileTo)
      if (started === undefined) continue
      places.set(place, started)
      stops.push(() => started.stop())
      // These also teach the load generator how many requests it has to stamp ahead.
      for (let window = 0; window < WARM_UP_WINDOWS; window++) await measureLoad(load, started, 64, seconds)
    }
    const drift = await watchDrift(anchors, seconds)
    for (let index = 0; index < rounds; index++) {
      say(`round ${index + 1} of ${rounds}`)
      const round: Round = {}
      for (const name of index % 2 === 0 ? names : names.toReversed()) {
        interruption.check()
        await pause(PAUSE_MS)
        if (isAnchor(name)) round[name] = await measureAnchor(anchors, name, seconds)
        else {
          const { place, connections } = readLoadName(name)
          const started = places.get(place)
          if (started) round[name] = await measureLoad(load, started, connections, seconds)
        }
      }
      run.rounds.push(round)
    }
    run.drift = await drift()
    return run
  } finally {
    for (const stop of stops.toReversed()) await stop()
    interruption.end()
  }
}

async function start(
  name: string,
  directory: string,
  run: Run,
  profileTo?: string,
): Promise<Place | undefined> {
  const service = serviceNames.find((known) => known === name)
  if (service === undefined) return startFloor(name, directory)
  try {
    const { databaseVersion, ...place } = await startService(service, directory, profileTo)
    run.databases[name] = databaseVersion
    return place
  } catch (error) {
    if (!(error instanceof NotRun)) throw error
    run.notRun[name] = error.message
    return undefined
  }
}

/** Both bare signatures now; the larger move of the two when asked again. */
export async function watchDrift(anchors: Child, seconds: number): Promise<() => Promise<number>> {
  const look = async () => [
    (await measureAnchor(anchors, "noble-sign", seconds)).perSecond,
    (await measureAnchor(anchors, "libsecp256k1-sign", seconds)).perSecond,
  ]
  const before = await look()
  return async () => {
    const after = await look()
    const moves = before.map((rate, index) => {
      const other = after[index] ?? rate
      return Math.abs(rate - other) / Math.min(rate, other)
    })
    return Math.max(...moves)
  }
}
