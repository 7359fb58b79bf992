import type { Figures } from "./figures.ts"
import type { Acknowledgements } from "./acknowledgements.ts"
import type { LogAuditor } from "./log-auditor.ts"
import type { Mutant } from "./mutants.ts"
import type { SeenOutcomes } from "./kept-outcomes.ts"
import { observedOf } from "./observed.ts"
import { type Observed, take, type World } from "./oracle.ts"
import type { Prepared, Requests } from "./requests.ts"
import type { SimulatedSigner } from "./simulated-signer.ts"
import type { Answered } from "./messages.ts"
import type { Tier } from "./tier.ts"

/** A run under way: a deployment, an untrusted tier, their users, and the world as the oracle knows it. */
export type Run = {
  readonly signer: SimulatedSigner
  readonly tier: Tier
  readonly requests: Requests
  readonly acknowledgements: Acknowledgements
  readonly auditor: LogAuditor
  readonly seen: SeenOutcomes
  readonly figures: Figures
  readonly mutant: Mutant
  world: World
}

/** There must be an order of the requests in which the oracle gives these answers. @throws Error */
export async function check(
  run: Run,
  prepared: readonly Prepared[],
  answers: readonly NonNullable<Answered>[],
): Promise<void> {
  const requests = prepared.map(({ request }) => request)
  const observed: Observed[] = []
  for (const answer of answers) {
    const one = await observedOf(answer)
    observed.push(run.mutant.answer?.(one) ?? one)
  }
  count(run.figures, observed)
  const nowMs = run.signer.clock.wallMs()
  const faults: string[] = []
  for (const sequence of permutations(requests.map((_, index) => index))) {
    const world = requests.length === 1 ? run.world : structuredClone(run.world)
    const fault = sequence
      .map((index) => ({ request: requests[index]!, answer: observed[index]! }))
      .reduce<string | undefined>((found, { request, answer }) => {
        if (found !== undefined) return found
        const reason = take(world, request, answer, nowMs)
        return reason && `${request.type}: ${reason}`
      }, undefined)
    if (fault === undefined) {
      run.world = world
      return
    }
    faults.push(fault)
  }
  throw new Error(`no order of the requests explains the answers: ${faults.join("; or ")}`)
}

function count(figures: Figures, observed: readonly Observed[]): void {
  for (const one of observed) {
    const name = one.is === "refused" ? one.code : one.status
    figures.orders += 1
    figures.answers.set(name, (figures.answers.get(name) ?? 0) + 1)
  }
}

/** A caller without an answer sends the same body again. */
export async function sendAgain({ tier }: Run, { sent }: Prepared): Promise<NonNullable<Answered>> {
  const answer = await tier.deliver(sent, "honest", () => 0)
  if (answer === undefined) throw new Error("the signer ended by itself")
  if (answer.case === "outcome") tier.store(answer.value)
  return answer
}

/** The signer with its newest state decides. @throws Error */
export function requireReady({ signer: { phase } }: Run): void {
  if (phase !== "ready") throw new Error(`the signer with its newest state is ${phase}`)
}

function permutations(list: readonly number[]): number[][] {
  if (list.length <= 1) return [[...list]]
  return list.flatMap((first) =>
    permutations(list.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  )
}
