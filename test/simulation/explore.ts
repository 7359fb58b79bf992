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
    for (const world of worldsOf(figures)) if (!(await exploreWorld(world, current, print))) return false
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

/** What a seed runs, with the steps that are chosen for it. */
type World<S> = {
  name: string
  stepsOf: (seed: number) => readonly S[]
  run: (seed: string, steps: readonly S[], isFirst: boolean) => Promise<void>
}

const sampleOf =
  <S>(runs: fc.Arbitrary<S[]>) =>
  (seed: number): S[] =>
    fc.sample(runs, { seed, numRuns: 1 })[0]!

function worldsOf(figures: Figures): World<never>[] {
  const signer: World<Step> = {
    name: "signer",
    stepsOf: stepsOfSeed,
    run: (seed, steps, isFirst) => simulate(seed, steps, isFirst ? { figures } : {}),
  }
  const codes: World<CodeStep> = { name: "codes", stepsOf: sampleOf(codeRuns(4 * STEPS)), run: simulateCodes }
  const issuers: World<IssuerStep> = {
    name: "issuer keys",
    stepsOf: sampleOf(issuerRuns(STEPS)),
    run: simulateIssuerKeys,
  }
  return [signer, codes, issuers] as unknown as World<never>[]
}

/** Runs one seed in one world. False: it shows a fault, which is shrunk and printed. */
async function exploreWorld<S>(
  world: World<S>,
  seed: number,
  print: (line: string) => void,
): Promise<boolean> {
  const steps = world.stepsOf(seed)
  const fault = await faultOf(world, seed, steps, true)
  if (fault === undefined) return true
  print(`seed ${seed}, ${world.name}: ${fault.message}`)
  const { shorter, fault: last } = await shrink(world, seed, steps, fault)
  print(`${shorter.length} of ${steps.length} steps show it: ${last.message}`)
  for (const step of shorter) print(JSON.stringify(step))
  return false
}

async function faultOf<S>(
  world: World<S>,
  seed: number,
  steps: readonly S[],
  isFirst = false,
): Promise<Error | undefined> {
  try {
    await world.run(String(seed), steps, isFirst)
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Leaves out steps that a fault does not need: all after it, then ever smaller parts of the list. */
async function shrink<S>(world: World<S>, seed: number, steps: readonly S[], first: Error) {
  let fault = first
  let shorter = steps.slice(0, Number(/^step (\d+)/.exec(first.message)?.[1] ?? steps.length) + 1)
  for (let size = shorter.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < shorter.length; ) {
      const less = [...shorter.slice(0, at), ...shorter.slice(at + size)]
      const found = await faultOf(world, seed, less)
      if (found === undefined) at += size
      else [shorter, fault] = [less, found]
    }
  return { shorter, fault }
}
