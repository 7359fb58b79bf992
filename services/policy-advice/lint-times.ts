import { type Checked, childrenOf } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import type { CronSpan } from "../../signer/core/policy/language/cron.ts"
import type { OrganizationNames, Warning } from "./warning.ts"

/** Warns of times that are over, and of windows that end before they begin. */
export function* lintTimes({ syntax }: Compiled, { nowMs }: OrganizationNames): Generator<Warning> {
  yield* lintNode(syntax, nowMs, false)
}

/** @param isNegated the node is below an odd number of `!` */
function* lintNode(node: Checked, nowMs: number | undefined, isNegated: boolean): Generator<Warning> {
  for (const { is, atMs } of node.kind === "compare" ? boundsOf(node, isNegated) : [])
    if (is === "end" && nowMs !== undefined && atMs <= BigInt(nowMs))
      yield {
        ...place(node),
        sentence: `never true again: it was over at ${timeText(atMs)}; write a later time`,
      }
  if (node.kind === "cron" && !isNegated && !hasDays(node.cron))
    yield { ...place(node), sentence: "never true: no month of the schedule has such a day" }
  if (node.kind === (isNegated ? "or" : "and")) yield* lintWindow(node, childrenOf(node), isNegated)
  const below = node.kind === "not" ? !isNegated : isNegated
  for (const child of childrenOf(node)) yield* lintNode(child, nowMs, below)
}

function* lintWindow(node: Checked, parts: readonly Checked[], isNegated: boolean): Generator<Warning> {
  const bounds = parts.flatMap((part) => boundsOf(part, isNegated))
  for (const end of bounds.filter(({ is }) => is === "end"))
    for (const start of bounds.filter(({ is }) => is === "start"))
      if (end.atMs <= start.atMs)
        yield {
          ...place(node),
          sentence: `never true: it ends at ${timeText(end.atMs)}, before it begins at ${timeText(start.atMs)}`,
        }
}

type Bound = { readonly is: "start" | "end"; readonly atMs: bigint }

/** The beginning or the end of the time in which a comparison of the clock with an instant is true; both of an equation. */
function boundsOf(node: Checked, isNegated: boolean): Bound[] {
  if (node.kind === "not") return boundsOf(node.operand, !isNegated)
  if (node.kind !== "compare") return []
  const [clock, instant] = isClock(node.left) ? [node.left, node.right] : [node.right, node.left]
  if (!isClock(clock) || instant.kind !== "literal" || typeof instant.value !== "bigint") return []
  const atMs = instant.value
  if (node.operator === "==" || node.operator === "!=")
    return (node.operator === "==") === isNegated
      ? []
      : [
          { is: "start", atMs: atMs - 1n },
          { is: "end", atMs: atMs + 1n },
        ]
  const isBefore = node.operator.startsWith(clock === node.left ? "<" : ">")
  return [{ is: isBefore === isNegated ? "start" : "end", atMs }]
}

function isClock(node: Checked): boolean {
  return node.kind === "root" && node.type.kind === "timestamp"
}

/** Days of each month, in a leap year. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function hasDays({ schedule }: CronSpan): boolean {
  const { months, daysOfMonth, anyDayOfMonth, anyDayOfWeek } = schedule
  if (anyDayOfMonth || !anyDayOfWeek) return true
  const first = daysOfMonth.indexOf(true)
  return MONTH_DAYS.some((days, index) => months[index + 1] === true && first <= days)
}

function timeText(atMs: bigint): string {
  return new Date(Number(atMs)).toISOString()
}

function place({ offset, length }: Checked) {
  return { offset, length }
}
