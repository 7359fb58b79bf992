import { fromBinary } from "@bufbuild/protobuf"
import { FetchedStatementSchema } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { stampBy } from "../../harness/stamper.ts"
import * as alter from "./alterations.ts"
import type { Pick, WireOrder } from "./alterations.ts"
import type { Prepare } from "./orders.ts"
import type { OrderPreparation, PreparedOrder } from "./prepared-orders.ts"
import type { Effect, RepeatableSigner, Snapshot } from "./repeatable-signer.ts"

/** Counts of a sweep. */
export type Figures = {
  orders: number
  /** Refusals by code. */
  refused: Map<string, number>
  /** Orders for which the signer asked for context, because the alteration withheld it. */
  needed: number
  /** Orders with exactly the effect of the unaltered one, by what was altered. */
  equal: Map<string, number>
  /** Altered orders with an effect of their own. There must be none. */
  effects: string[]
}

export function newFigures(): Figures {
  return { orders: 0, refused: new Map(), needed: 0, equal: new Map(), effects: [] }
}

/**
 * Sends the picked alterations of one request. Each must be refused or asked for context without a transaction, or have
 * the effect of the unaltered order: the same answer and the same ledger, byte for byte.
 */
export async function sweepRequest(
  name: string,
  prepare: Prepare,
  preparation: OrderPreparation,
  pick: Pick,
  figures: Figures,
): Promise<void> {
  const { signer } = preparation
  const prepared = await preparation.prepare(name, prepare)
  const { snapshot } = prepared
  const expected = await effectFrom(snapshot, prepared.order, signer, name)
  if (expected.is !== "outcome") throw new Error(`${name}: the unaltered order was not carried out`)
  const count = (what: string, effect: Effect) => {
    figures.orders += 1
    if (effect.is === "refused") increment(figures.refused, effect.code)
    else if (effect.is === "needed") figures.needed += 1
    else if (isEqual(effect, expected)) increment(figures.equal, what)
    else figures.effects.push(`${name}: ${what}`)
    if (effect.is !== "outcome" && !signer.isUntouched) figures.effects.push(`${name}: ${what}, when refused`)
  }
  await signer.load(snapshot, name)
  for (const { region, how, order } of alter.ofRequest(prepared, pick)) {
    const effect = await send(order, signer)
    count(`${region} ${how}`, effect)
    if (effect.is === "needed") await signer.load(snapshot, name)
  }
  // The signer caches documents and keys: it reads what is supplied until it has seen the unaltered bytes.
  let seen = new Set<Uint8Array>()
  for (const { region, how, order, original } of alter.ofContext(prepared, pick)) {
    // An order that is refused for a statement has used random bytes: the next order needs a fresh signer too.
    if (seen.size === 0 || region.startsWith("fetched") || seen.has(original!)) {
      await signer.load(snapshot, name)
      seen = new Set()
    }
    const effect = await send(order, signer)
    count(`${region} ${how}`, effect)
    // A fresh signer again: after an outcome it was restored, and a request for context uses random bytes.
    seen = effect.is === "refused" ? new Set([...seen, ...order.documents, ...order.records]) : new Set()
  }
  await sweepInsider(name, prepared, signer, pick, figures)
  for (const used of [snapshot, prepared.withoutOther]) signer.discard(used)
}

/**
 * The tenant's own user stamps bodies that name something of another tenant. The other tenant's existence must not
 * matter: what is carried out is also carried out, with the same answer, where the other tenant has nothing.
 */
async function sweepInsider(
  name: string,
  { order, another, older, snapshot, withoutOther, stamper }: PreparedOrder,
  signer: RepeatableSigner,
  pick: Pick,
  figures: Figures,
): Promise<void> {
  for (const body of alter.ofAnotherTenant({ order, another, older }, pick)) {
    const stamp = { xStamp: "", xStampWebauthn: "", ...stampBy(stamper, body) }
    const altered = { ...order, body: Buffer.from(body), ...stamp }
    const effect = await effectFrom(snapshot, altered, signer, name)
    figures.orders += 1
    if (effect.is === "refused") increment(figures.refused, effect.code)
    else if (effect.is === "needed") figures.needed += 1
    else {
      const alone = await effectFrom(withoutOther, altered, signer, name)
      if (alone.is === "outcome" && alone.answer === effect.answer)
        increment(figures.equal, "body leaf another tenant's, stamped by its user")
      else figures.effects.push(`${name}: ${body}`)
    }
  }
}

/** The effect of one order on a signer that starts from a snapshot, with empty caches. */
async function effectFrom(
  snapshot: Snapshot,
  order: WireOrder,
  signer: RepeatableSigner,
  seed: string,
): Promise<Effect> {
  await signer.load(snapshot, seed)
  return send(order, signer)
}

async function send(order: WireOrder, signer: RepeatableSigner): Promise<Effect> {
  const fetched = decodeFetched(order.fetched)
  // gRPC refuses a message that cannot be decoded before the signer's code sees it.
  if (fetched === undefined) return { is: "refused", code: "undecodable" }
  return signer.effectOf({ ...order, fetched })
}

function decodeFetched(statements: readonly Uint8Array[]) {
  try {
    return statements.map((bytes) => fromBinary(FetchedStatementSchema, bytes))
  } catch {
    return undefined
  }
}

function isEqual(one: Effect, other: Effect): boolean {
  return (
    one.is === "outcome" && other.is === "outcome" && one.answer === other.answer && one.state === other.state
  )
}

/** All places. */
export const everyPlace: Pick = (places) => places

/** At most `count` places, evenly distributed; `start` shifts them, so that several orders cover more places. */
export function somePlaces(count: number, start: number): Pick {
  return (places) => {
    if (places.length <= count) return places
    const step = places.length / count
    const shift = (start * 0.618_034 * places.length) % places.length
    return Array.from({ length: count }, (_, index) => {
      const at = Math.floor(shift + index * step) % places.length
      return places[at]!
    })
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** The figures as lines. */
export function summaryOf({ orders, refused, needed, equal, effects }: Figures): string[] {
  const lines = (counts: ReadonlyMap<string, number>) =>
    [...counts].toSorted(([, one], [, other]) => other - one).map(([name, count]) => `  ${count} ${name}`)
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0)
  return [
    `altered orders: ${orders}`,
    `refused: ${sum(refused)}`,
    ...lines(refused),
    `asked for the context that was withheld: ${needed}`,
    `equal to the unaltered order: ${sum(equal)}`,
    ...lines(equal),
    `effects: ${effects.length === 0 ? "none" : effects.length}`,
    ...effects.map((effect) => `  ${effect}`),
  ]
}
