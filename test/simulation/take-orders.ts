import { nameOf } from "../harness/api-client.ts"
import { chance } from "../harness/chance.ts"
import type { RecoveredOutcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { carriedOut } from "./observed.ts"
import type { Prepared } from "./requests.ts"
import { watchRecovered } from "./recovered.ts"
import { check, type Run, sendAgain } from "./run.ts"
import type { AcknowledgementStep, OrderStep, Step } from "./steps.ts"
import { turns } from "./turns.ts"
import type { Answered } from "./messages.ts"

type Orders = Extract<Step, { is: "orders" }>
type Sending = OrderStep & { prepared: Prepared }

/** Orders that are under way together, with faults of the disk, and a kill at any turn. */
export async function takeOrders(run: Run, step: Orders): Promise<void> {
  const sends = prepareAll(run, step)
  // The tier acknowledges only outcomes that it has stored.
  if (step.acknowledgements.length > 0) await run.tier.recover()
  const { store } = run.signer
  store.faults.push(...step.faults)
  store.delays.push(...step.delays)
  const killed =
    step.killAfterTurns < 0 ? undefined : turns(step.killAfterTurns).then(() => run.signer.kill())
  const stopped =
    step.stopAfterTurns < 0 || killed ? undefined : turns(step.stopAfterTurns).then(() => run.signer.stop())
  // A stopping signer drops acknowledgements without an error: Recover then returns their outcomes again.
  const acknowledged = stopped ? [] : step.acknowledgements.map((each) => acknowledge(run, each))
  const watched = step.watchAtTurn < 0 ? undefined : turns(step.watchAtTurn).then(() => watchRecovered(run))
  const [answers] = await Promise.all([
    Promise.all(sends.map((sending) => send(run, sending))),
    ...acknowledged,
    watched,
  ])
  await killed
  await stopped
  store.faults.length = 0
  store.delays.length = 0
  const recovered = run.signer.isRunning ? [] : await startAgain(run)
  const known: { prepared: Prepared; answer: NonNullable<Answered> }[] = []
  for (const [index, answer] of answers.entries()) {
    const { prepared } = sends[index]!
    if (answer === undefined && isOther(sends, answers, index)) continue
    // A request that was carried out may not be repeatable: it may have removed its own key.
    requireNotCarriedOut(answer, recovered, prepared, sends)
    const wasRefused = isStopping(answer)
    const found =
      (wasRefused ? undefined : answer) ?? carriedOut(recovered, prepared) ?? (await sendAgain(run, prepared))
    known.push({ prepared, answer: found })
  }
  await check(
    run,
    known.map(({ prepared }) => prepared),
    known.map(({ answer }) => answer),
  )
  for (const each of sends)
    if (each.isLost) await check(run, [each.prepared], [await sendAgain(run, each.prepared)])
}

const isStopping = (answer: Answered): boolean =>
  answer?.case === "refused" && nameOf(answer.value.code) === "SIGNER_STOPPING"

/** A signer that refuses an order because it is stopping must not have carried it out. @throws Error */
function requireNotCarriedOut(
  answer: Answered,
  recovered: readonly RecoveredOutcome[],
  prepared: Prepared,
  sends: readonly Sending[],
): void {
  const hasCopies = sends.filter((each) => each.prepared === prepared).length > 1
  if (isStopping(answer) && !hasCopies && carriedOut(recovered, prepared) !== undefined)
    throw new Error("an order was refused because the signer was stopping, and was carried out all the same")
}

/** True for a copy without an answer of a body whose outcome is another copy's: who sent both asks once. */
function isOther(sends: readonly Sending[], answers: readonly Answered[], index: number): boolean {
  return answers.some((answer, at) => {
    const isCopy = at !== index && sends[at]!.prepared === sends[index]!.prepared
    return isCopy && (answer?.case === "outcome" || (answer === undefined && at < index))
  })
}

function prepareAll({ requests, world, signer }: Run, { orders }: Orders): Sending[] {
  return orders.flatMap((order) => {
    const now = { nowMs: signer.clock.wallMs(), stampMs: () => signer.nowMs() }
    const first = { ...order, prepared: requests.prepare(order, world, now) }
    return order.isDouble ? [first, { ...first, turns: order.other % 7 }] : [first]
  })
}

async function send({ tier }: Run, sending: Sending): Promise<Answered> {
  const { prepared, manner, one, isLost } = sending
  await turns(sending.turns)
  const answer = await tier.deliver(prepared.sent, manner, chance(one))
  if (answer?.case === "outcome" && !isLost) tier.store(answer.value)
  return answer
}

/** Resolves once it is sent. */
async function acknowledge(run: Run, { which, turns: before }: AcknowledgementStep): Promise<void> {
  await turns(before)
  void run.acknowledgements.send(run.world, which)
}

async function startAgain({ figures, signer, tier }: Run): Promise<RecoveredOutcome[]> {
  figures.kills += 1
  await signer.start()
  return tier.recover()
}
