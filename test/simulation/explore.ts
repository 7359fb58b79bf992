import { requireWatched } from "./synced-files.ts"
import fc from "fast-check"
import { type CodeStep, codeRuns, simulateCodes } from "./fetched/codes.ts"
import { type IssuerStep, issuerRuns, simulateIssuerKeys } from "./fetched/issuer-keys.ts"
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
  requireWatched()
  for (let run = 0; run < runs && Date.now() < endMs; run++) {
    const current = seed + run * every
    for (const simulation of simulationsOf(figures))
      if (!(await exploreSeed(simulation, current, print))) return false
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
  return sampleOf(stepsOf(STEPS))(seed)
}

/** One simulation that every seed runs, with the steps that the seed chooses. */
type Simulation<S> = {
  name: string
  stepsOf: (seed: number) => readonly S[]
  run: (seed: string, steps: readonly S[], isFirst: boolean) => Promise<void>
}

const sampleOf =
  <S>(runs: fc.Arbitrary<S[]>) =>
  (seed: number): S[] =>
    fc.sample(runs, { seed, numRuns: 1 })[0]!

function simulationsOf(figures: Figures): Simulation<never>[] {
  const signer: Simulation<Step> = {
    name: "signer",
    stepsOf: stepsOfSeed,
    run: (seed, steps, isFirst) => simulate(seed, steps, isFirst ? { figures } : {}),
  }
  const codes: Simulation<CodeStep> = {
    name: "codes",
    stepsOf: sampleOf(codeRuns(4 * STEPS)),
    run: simulateCodes,
  }
  const issuers: Simulation<IssuerStep> = {
    name: "issuer keys",
    stepsOf: sampleOf(issuerRuns(STEPS)),
    run: simulateIssuerKeys,
  }
  return [signer, codes, issuers] as unknown as Simulation<never>[]
}

/** Runs one seed in one simulation. False: it shows a fault, which is shrunk and printed. */
async function exploreSeed<S>(
  simulation: Simulation<S>,
  seed: number,
  print: (line: string) => void,
): Promise<boolean> {
  const steps = simulation.stepsOf(seed)
  const fault = await faultOf(simulation, seed, steps, true)
  if (fault === undefined) return true
  print(`seed ${seed}, ${simulation.name}: ${fault.message}`)
  const { shorter, fault: last } = await shrink(simulation, seed, steps, fault)
  print(`${shorter.length} of ${steps.length} steps show it: ${last.message}`)
  for (const step of shorter) print(JSON.stringify(step))
  return false
}

async function faultOf<S>(
  simulation: Simulation<S>,
  seed: number,
  steps: readonly S[],
  isFirst = false,
): Promise<Error | undefined> {
  try {
    await simulation.run(String(seed), steps, isFirst)
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Leaves out steps that a fault does not need: all after it, then ever smaller parts of the list. */
async function shrink<S>(simulation: Simulation<S>, seed: number, steps: readonly S[], first: Error) {
  let fault = first
  let shorter = steps.slice(0, Number(/^step (\d+)/.exec(first.message)?.[1] ?? steps.length) + 1)
  for (let size = shorter.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < shorter.length; ) {
      const less = [...shorter.slice(0, at), ...shorter.slice(at + size)]
      const found = await faultOf(simulation, seed, less)
      if (found === undefined) at += size
      else [shorter, fault] = [less, found]
    }
  return { shorter, fault }
}
