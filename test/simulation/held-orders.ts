import { chance } from "../harness/chance.ts"
import { expiryOf, lapsesOf, staleAtMsOf } from "./edges.ts"
import type { Prepared } from "./requests.ts"
import { check, type Run } from "./run.ts"
import type { OrderStep, Step } from "./steps.ts"

type Held = Extract<Step, { is: "held" }>

/** Time from the vote's stamp to the lapse: under an hour, so that the held request is not stale at the lapse. */
const BEFORE_MS = 30 * 60_000

/**
 * The tier holds a stamped request back until the moment at which its answer changes, or one millisecond before or after it. Such
 * moments are the hour of a body, the lapse of votes and the expiry of a session. @throws Error
 */
export async function takeHeld(run: Run, { order, edge, offsetMs, isSentBefore }: Held): Promise<void> {
  const held = edge === "lapse" ? await voteBeforeLapse(run, order) : requestOf(run, order, edge)
  if (held === undefined) return
  const { prepared, atMs } = held
  if (isSentBefore) await deliver(run, prepared, order.one)
  await passUntil(run, atMs + offsetMs)
  await deliver(run, prepared, order.one)
}

type HeldRequest = { prepared: Prepared; atMs: number }

function requestOf(run: Run, order: OrderStep, edge: "hour" | "expiry"): HeldRequest | undefined {
  const { signer, requests, world } = run
  const now = { nowMs: signer.clock.wallMs(), stampMs: () => signer.nowMs() }
  const prepared = requests.prepare(order, world, now)
  const atMs = edge === "hour" ? staleAtMsOf(prepared.request) : expiryOf(world, prepared.request)
  return atMs === undefined ? undefined : { prepared, atMs }
}

/** A vote that is stamped before the others lapse; undefined: no activity waits. */
async function voteBeforeLapse(run: Run, { actor, one }: OrderStep): Promise<HeldRequest | undefined> {
  const { signer, requests, world } = run
  const lapses = lapsesOf(world, signer.clock.wallMs())
  const lapse = lapses[one % Math.max(1, lapses.length)]
  if (lapse === undefined) return undefined
  const { organizationId, fingerprint, atMs } = lapse
  await passUntil(run, atMs - BEFORE_MS)
  const keys = world.get(organizationId)!.users.flatMap((user) => user.keys)
  const { publicKey } = keys[actor % keys.length]!
  const act = { is: "vote", selection: "approve", fingerprint } as const
  return { prepared: requests.ask(organizationId, act, publicKey, signer.nowMs()), atMs }
}

async function deliver(run: Run, prepared: Prepared, seed: number): Promise<void> {
  const { tier } = run
  const answer = await tier.deliver(prepared.sent, "honest", chance(seed))
  if (answer === undefined) throw new Error("the signer ended by itself")
  if (answer.case === "outcome") tier.store(answer.value)
  await check(run, [prepared], [answer])
}

/** Time never goes back: for a moment that has passed, nothing is done. */
async function passUntil({ signer, auditor }: Run, atMs: number): Promise<void> {
  const ms = atMs - signer.clock.wallMs()
  if (ms <= 0) return
  await signer.pass(ms)
  await auditor.audit()
}
