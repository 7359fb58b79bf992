import { rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { type Child, startChild } from "./child.ts"
import { inOwnDirectory } from "./own-directory.ts"
import type { Round } from "./goals.ts"
import { describeMachine, type Machine } from "./machine.ts"
import { measureAnchor, measureLoad } from "./measure.ts"
import { type Place, startFloor } from "./places.ts"
import { isAnchor, type LoadName, readLoadName, type SeriesName } from "./series.ts"
import { NotRun, serviceNames, startService } from "./services.ts"

export type RunOptions = { seconds: number; rounds: number; profileTo?: string | undefined }

export type Run = {
  machine: Machine
  rounds: Round[]
  /** Why something could not be measured here, by place. */
  notRun: Record<string, string>
  /** Versions of PostgreSQL, by place. */
  databases: Record<string, string>
  /** Change of the bare signature from start to end, as a share of the slower. */
  drift: number
}

/** Beyond this the machine was busy with something else. */
export const MOST_DRIFT = 0.15

/** A process is about a fifth dearer until it has served some ten thousand requests: its code is not compiled yet. */
const WARM_UP_WINDOWS = 5

/** Lets what a window left behind come to an end. */
const PAUSE_MS = 100

/** Values common to all rounds. */
type Bench = {
  anchors: Child
  load: Child
  directory: string
  options: RunOptions
  run: Run
  /** Throws once the run received a signal. */
  check: () => void
}

/**
 * Measures everything once a round. Each round restarts each place. Memory layout and compiler decisions last for the life of a
 * process, and change its result by up to a fifth in either direction.
 */
export function measureAll(
  names: readonly SeriesName[],
  options: RunOptions,
  say: (line: string) => void,
): Promise<Run> {
  return inOwnDirectory(async ({ directory, interruption, started }) => {
    const child = async (file: string): Promise<Child> =>
      started(await startChild(new URL(file, import.meta.url)))
    const [anchors, load] = [await child("anchors.ts"), await child("load/main.ts")]
    const run: Run = { machine: describeMachine(directory), rounds: [], notRun: {}, databases: {}, drift: 0 }
    const check = () => interruption.check()
    const bench: Bench = { anchors, load, directory, options, run, check }
    const drift = await watchDrift(anchors, options.seconds)
    for (let index = 0; index < options.rounds; index++) {
      say(`round ${index + 1} of ${options.rounds}`)
      run.rounds.push(await measureRound(index % 2 === 0 ? names : names.toReversed(), bench, say))
    }
    run.drift = await drift()
    return run
  })
}

async function measureRound(
  names: readonly SeriesName[],
  bench: Bench,
  say: (line: string) => void,
): Promise<Round> {
  const round: Round = {}
  for (const group of Object.values(Object.groupBy(names, placeOf))) {
    const [first, ...others] = group ?? []
    if (first === undefined) continue
    bench.check()
    if (isAnchor(first)) {
      round[first] = await measureAnchor(bench.anchors, first, bench.options.seconds)
      continue
    }
    say(`  ${placeOf(first)}`)
    Object.assign(round, await measurePlace([first, ...(others as LoadName[])], bench))
  }
  return round
}

/** Subject measured in one start: a process, or a bare library. */
function placeOf(name: SeriesName): string {
  return isAnchor(name) ? name : readLoadName(name).place
}

/** Starts a place, lets it warm up, takes its windows and stops it. Nothing where this machine does not allow it. */
async function measurePlace(names: readonly LoadName[], bench: Bench): Promise<Round> {
  const { load, directory, options, run, check } = bench
  const place = placeOf(names[0] as LoadName)
  if (run.notRun[place] !== undefined) return {}
  const home = join(directory, place.replaceAll(" ", "-"))
  const started = await start(place, home, run, options.profileTo)
  if (started === undefined) return {}
  const round: Round = {}
  try {
    // These also teach the load generator how many requests it has to stamp ahead.
    for (let window = 0; window < WARM_UP_WINDOWS; window++) {
      check()
      await measureLoad(load, started, `${place} at 64`, options.seconds)
    }
    await started.settle()
    for (const name of names) {
      check()
      await pause(PAUSE_MS)
      round[name] = await measureLoad(load, started, name, options.seconds)
    }
  } finally {
    await started.stop()
    await rm(home, { recursive: true, force: true })
  }
  return round
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
    const { databaseVersion, ...place } = await startService(service, directory, { profileTo })
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
  const measure = async () => [
    (await measureAnchor(anchors, "noble-sign", seconds)).perSecond,
    (await measureAnchor(anchors, "libsecp256k1-sign", seconds)).perSecond,
  ]
  const before = await measure()
  return async () => {
    const after = await measure()
    const moves = before.map((rate, index) => {
      const other = after[index] ?? rate
      return Math.abs(rate - other) / Math.min(rate, other)
    })
    return Math.max(...moves)
  }
}
