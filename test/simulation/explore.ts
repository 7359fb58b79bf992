import fc from "fast-check"
import { type Figures, newFigures } from "./figures.ts"
import { simulate } from "./simulation.ts"
import { runs as stepsOf, type Step } from "./steps.ts"

export const STEPS = 150

export type Exploration = {
  /** Seed of the first run; that of each later run is higher by `every`. */
  seed: number
  runs: number
  every?: number
  /** Unix time after which no run begins. */
  endMs?: number
  print: (line: string) => void
  figures?: Figures
}

/** Runs seeds until one shows a fault, which is shrunk and printed. Returns true if none did. */
export async function explore(exploration: Exploration): Promise<boolean> {
  const {
    seed,
    runs,
    every = 1,
    endMs = Number.POSITIVE_INFINITY,
    print,
    figures = newFigures(),
  } = exploration
  for (let run = 0; run < runs && Date.now() < endMs; run++) {
    const current = seed + run * every
    const steps = stepsOfSeed(current)
    const fault = await faultOf(current, steps, figures)
    if (fault === undefined) continue
    print(`seed ${current}: ${fault.message}`)
    const { shorter, fault: last } = await shrink(current, steps, fault)
    print(`${shorter.length} of ${steps.length} steps show it: ${last.message}`)
    for (const step of shorter) print(JSON.stringify(step))
    return false
  }
  const answers = [...figures.answers].toSorted(([, one], [, other]) => other - one)
  print(`${figures.orders} orders, ${figures.kills} ends of the process, no fault`)
  const { acknowledged, forged, decisions } = figures
  print(`  ${acknowledged} acknowledgements, ${forged} forgeries, ${decisions} decisions in the log`)
  for (const [name, count] of answers) print(`  ${count} ${name}`)
  return true
}

/** Steps of a run: the same ones each time for the same seed. */
export function stepsOfSeed(seed: number): Step[] {
  return fc.sample(stepsOf(STEPS), { seed, numRuns: 1 })[0]!
}

async function faultOf(seed: number, steps: readonly Step[], figures?: Figures): Promise<Error | undefined> {
  try {
    await simulate(String(seed), steps, figures && { figures })
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Leaves out steps that a fault does not need: all after it, then ever smaller parts of the list. */
async function shrink(seed: number, steps: readonly Step[], first: Error) {
  let fault = first
  let shorter = steps.slice(0, Number(/^step (\d+)/.exec(first.message)?.[1] ?? steps.length) + 1)
  for (let size = shorter.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < shorter.length; ) {
      const less = [...shorter.slice(0, at), ...shorter.slice(at + size)]
      const found = await faultOf(seed, less)
      if (found === undefined) at += size
      else [shorter, fault] = [less, found]
    }
  return { shorter, fault }
}
