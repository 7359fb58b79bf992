import { refuse } from "../refusal.ts"
import { WEI_PER_TOKEN } from "./settings.ts"

/** Costs of a part of a window: millionths of a US dollar, Unix times in milliseconds. */
export type UsagePart = { readonly fromMs: bigint; readonly lastMs: bigint; readonly microUsd: bigint }

/** A limit on costs in a rolling window. `whose`: its subject, for sentences. */
export type UsageLimit = {
  readonly microUsd: bigint
  readonly windowMs: bigint
  readonly whose: string
}

/** Parts of a window: a cost leaves it up to a sixtieth of the window late, never early. */
const PARTS = 60n

/** The greatest cost of a transaction, rounded up. `microUsdPrice`: of one native token. */
export function costInMicroUsd(maxCostWei: bigint, microUsdPrice: bigint): bigint {
  return (maxCostWei * microUsdPrice + WEI_PER_TOKEN - 1n) / WEI_PER_TOKEN
}

/** The costs that are in the window. */
export function usedMicroUsd(parts: readonly UsagePart[], windowMs: bigint, nowMs: bigint): bigint {
  return sum(current(parts, windowMs, nowMs))
}

/** The parts with one more cost. @throws SPONSORSHIP_LIMIT_EXCEEDED, with the figures and the time at which the cost fits */
export function withCost(
  parts: readonly UsagePart[],
  cost: bigint,
  { microUsd, windowMs, whose }: UsageLimit,
  nowMs: bigint,
): UsagePart[] {
  const kept = current(parts, windowMs, nowMs)
  const used = sum(kept)
  if (used + cost > microUsd) {
    const figures = `$${usd(cost)} at most, and $${usd(used)} of $${usd(microUsd)} are used`
    const sentence = `${whose}: this transaction costs ${figures}; ${freesAt(kept, cost, { microUsd, windowMs })}`
    throw refuse("SPONSORSHIP_LIMIT_EXCEEDED", sentence)
  }
  const last = kept.at(-1)
  const isSamePart = last !== undefined && nowMs - last.fromMs < windowMs / PARTS
  if (!isSamePart) return [...kept, { fromMs: nowMs, lastMs: nowMs, microUsd: cost }]
  return [...kept.slice(0, -1), { ...last, lastMs: nowMs, microUsd: last.microUsd + cost }]
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
