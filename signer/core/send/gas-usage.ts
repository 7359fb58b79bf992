import { refuse } from "../refusal.ts"
import { WEI_PER_TOKEN } from "./settings.ts"

/** Costs of a part of a window: millionths of a US dollar, Unix times in milliseconds. */
export type UsagePart = { readonly fromMs: bigint; readonly lastMs: bigint; readonly microUsd: bigint }

/** A limit on costs in a rolling window. `whose`: its subject, for sentences. `code`: that of a cost beyond it. */
export type UsageLimit = {
  readonly microUsd: bigint
  readonly windowMs: bigint
  readonly whose: string
  readonly code: "SPONSORSHIP_LIMIT_EXCEEDED" | "SPONSORSHIP_CAP_EXCEEDED"
}

/** The window of the operator's caps, milliseconds. */
export const DAY_MS = 24n * 60n * 60_000n

/** Parts of a window: a cost leaves it up to a sixtieth of the window late, never early. */
const PARTS = 60n
/** Costs before the window are kept in parts of an eighth of their age: a longer window counts them again, never early. */
const AGE_PARTS = 8n
/** The longest window that can be set, 43,200 minutes. */
const LONGEST_WINDOW_MS = 43_200n * 60_000n

/** The greatest cost of a transaction, rounded up. `microUsdPrice`: of one native token. */
export function costInMicroUsd(maxCostWei: bigint, microUsdPrice: bigint): bigint {
  return (maxCostWei * microUsdPrice + WEI_PER_TOKEN - 1n) / WEI_PER_TOKEN
}

/** The costs that are in the window. */
export function usedMicroUsd(parts: readonly UsagePart[], windowMs: bigint, nowMs: bigint): bigint {
  return sum(current(parts, windowMs, nowMs))
}

/**
 * The parts with one more cost.
 * @throws SPONSORSHIP_LIMIT_EXCEEDED, SPONSORSHIP_CAP_EXCEEDED, with the figures and the time at which the cost fits
 */
export function withCost(
  parts: readonly UsagePart[],
  cost: bigint,
  limits: readonly UsageLimit[],
  nowMs: bigint,
): UsagePart[] {
  for (const limit of limits) requireRoom(parts, cost, limit, nowMs)
  const windowsMs = limits.map(({ windowMs }) => windowMs)
  return joined([...parts, { fromMs: nowMs, lastMs: nowMs, microUsd: cost }], windowsMs, nowMs)
}

/** @throws the limit's code */
function requireRoom(
  parts: readonly UsagePart[],
  cost: bigint,
  { microUsd, windowMs, whose, code }: UsageLimit,
  nowMs: bigint,
): void {
  const kept = current(parts, windowMs, nowMs)
  const used = sum(kept)
  if (used + cost <= microUsd) return
  const figures = `$${usd(cost)} at most, and $${usd(used)} of $${usd(microUsd)} are used`
  throw refuse(
    code,
    `${whose}: this transaction costs ${figures}; ${freesAt(kept, cost, { microUsd, windowMs })}`,
  )
}

/** The parts that any window may still count, with neighbours joined: at most some hundreds remain. */
function joined(parts: readonly UsagePart[], windowsMs: readonly bigint[], nowMs: bigint): UsagePart[] {
  const all: UsagePart[] = []
  for (const part of current(parts, LONGEST_WINDOW_MS, nowMs)) {
    const age = nowMs - part.lastMs
    const spans = windowsMs.filter((windowMs) => age < windowMs).map((windowMs) => windowMs / PARTS)
    const span = spans.reduce((least, one) => (one < least ? one : least), spans[0] ?? age / AGE_PARTS)
    const before = all.at(-1)
    if (before === undefined || part.lastMs - before.fromMs >= span) all.push(part)
    else all[all.length - 1] = { ...part, fromMs: before.fromMs, microUsd: before.microUsd + part.microUsd }
  }
  return all
}

/** US dollars, with as many decimals as there are, and two at least. */
function usd(microUsd: bigint): string {
  const [whole, decimals] = [microUsd / 1_000_000n, String(microUsd % 1_000_000n).padStart(6, "0")]
  return `${whole}.${decimals.replace(/0{1,4}$/, "")}`
}

/** Millionths of a US dollar of a decimal number with up to six decimals. */
export function readUsd(text: string): bigint {
  const [whole = "0", decimals = ""] = text.split(".")
  return BigInt(whole + decimals.padEnd(6, "0"))
}

function current(parts: readonly UsagePart[], windowMs: bigint, nowMs: bigint): UsagePart[] {
  return parts.filter(({ lastMs }) => lastMs > nowMs - windowMs)
}

function sum(parts: readonly UsagePart[]): bigint {
  return parts.reduce((all, { microUsd }) => all + microUsd, 0n)
}

function freesAt(
  parts: readonly UsagePart[],
  cost: bigint,
  { microUsd, windowMs }: Pick<UsageLimit, "microUsd" | "windowMs">,
): string {
  let left = sum(parts)
  for (const part of parts) {
    left -= part.microUsd
    if (left + cost <= microUsd) return `it fits at ${new Date(Number(part.lastMs + windowMs)).toISOString()}`
  }
  return "it never fits: the limit is lower"
}
