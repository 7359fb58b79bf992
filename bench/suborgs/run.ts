import { join } from "node:path"
import { startChild } from "../child.ts"
import { inOwnDirectory } from "../own-directory.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { MOST_DRIFT, watchDrift } from "../run.ts"
import { deploy, type RunningDeployment } from "./deployment.ts"
import { type Effort, measureMemory, measureSize, type MemoryStep, type SizeRound } from "./measure.ts"

export type SubOrgsPlan = Effort & {
  /** Sub-organizations of each deployment, ascending. */
  sizes: readonly number[]
  rounds: number
  /** After so many organizations opened the signer's memory is looked at. */
  touches: readonly number[]
}

export type SizeRun = {
  count: number
  loadSeconds: number
  indexSeconds: number
  rounds: SizeRound[]
  memory: MemoryStep[]
  databaseVersion: string
}

export type FamilyRun = {
  machine: Machine
  sizes: SizeRun[]
  /** Change of the bare signature from start to end, as a share of the slower. */
  drift: number
}

/** Times that the rounds are measured again. */
const MOST_REPEATS = 3

export const FULL_PLAN: Omit<SubOrgsPlan, "rounds" | "seconds"> = {
  sizes: [1_000, 100_000, 1_000_000],
  samples: 400,
  // Past the 100,000 organizations whose check the signer remembers.
  touches: [50_000, 100_000, 150_000, 200_000, 250_000],
}

export const SHORT_PLAN: SubOrgsPlan = {
  sizes: [120, 300],
  rounds: 1,
  seconds: 0.5,
  samples: 5,
  touches: [100, 200],
}

/** One deployment a size, all running at once; each round measures every size, so that a slow minute slows all. */
export function measureFamilies(plan: SubOrgsPlan, say: (line: string) => void): Promise<FamilyRun> {
  return inOwnDirectory(async ({ directory, interruption, stops, started }) => {
    const machine = describeMachine(directory)
    const anchors = started(await startChild(new URL("../anchors.ts", import.meta.url)))
    const deployments: RunningDeployment[] = []
    for (const count of plan.sizes) {
      interruption.check()
      say(`fills a deployment with ${count} sub-organizations`)
      const deployment = await deploy(join(directory, String(count)), count, (line) => {
        interruption.check()
        say(line)
      })
      stops.push(() => deployment.stop())
      deployments.push(deployment)
    }
    const sizes = deployments.map(({ count, loadSeconds, indexSeconds, databaseVersion }): SizeRun => {
      return { count, loadSeconds, indexSeconds, databaseVersion, rounds: [], memory: [] }
    })
    say("warms up")
    for (const deployment of deployments) await measureSize(deployment, plan) // compiles the code
    const measureRounds = async (): Promise<number> => {
      for (const size of sizes) size.rounds = []
      const drift = await watchDrift(anchors, plan.seconds)
      for (let round = 0; round < plan.rounds; round++) {
        say(`round ${round + 1} of ${plan.rounds}`)
        const order = [...deployments.keys()]
        for (const at of round % 2 === 0 ? order : order.toReversed()) {
          interruption.check()
          sizes[at]!.rounds.push(await measureSize(deployments[at]!, plan))
        }
      }
      return drift()
    }
    let moved = await measureRounds()
    // The rounds take minutes, and filling took half an hour: a machine that was disturbed is measured again.
    for (let again = 0; again < MOST_REPEATS && moved > MOST_DRIFT; again++) {
      say("the machine's speed changed meanwhile: all rounds again")
      moved = await measureRounds()
    }
    say(`rounds: ${JSON.stringify(sizes.map(({ count, rounds }) => ({ count, rounds })))}`)
    for (const [at, deployment] of deployments.entries()) {
      interruption.check()
      say(`opens organizations of ${deployment.count}`)
      sizes[at]!.memory = await measureMemory(deployment, plan.touches)
    }
    return { machine, sizes, drift: moved }
  })
}
