import { type Checked, nodesOf } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import type { KnownNames, Warning } from "./warning.ts"

/** Warns of times that are over, and of windows that end before they begin. */
export function* lintTimes({ syntax }: Compiled, { nowMs }: KnownNames): Generator<Warning> {
  for (const node of nodesOf(syntax)) {
    const bound = boundOf(node)
    if (bound?.is === "end" && nowMs !== undefined && bound.atMs <= BigInt(nowMs))
      yield {
        ...place(node),
        sentence: `never true again: it was over at ${timeText(bound.atMs)}; write a later time`,
      }
    if (node.kind === "and") yield* lintWindow(node, node.parts)
  }
}

function* lintWindow(node: Checked, parts: readonly Checked[]): Generator<Warning> {
  const bounds = parts.flatMap((part) => boundOf(part) ?? [])
  for (const end of bounds.filter(({ is }) => is === "end"))
    for (const start of bounds.filter(({ is }) => is === "start"))
      if (end.atMs <= start.atMs)
        yield {
          ...place(node),
          sentence: `never true: it ends at ${timeText(end.atMs)}, before it begins at ${timeText(start.atMs)}`,
        }
}

/** A comparison of the clock with an instant: the beginning or the end of a time. */
function boundOf(node: Checked): { is: "start" | "end"; atMs: bigint } | undefined {
  if (node.kind !== "compare") return undefined
  const [clock, instant] = isClock(node.left) ? [node.left, node.right] : [node.right, node.left]
  if (!isClock(clock) || instant.kind !== "literal" || typeof instant.value !== "bigint") return undefined
  const isEnd = node.operator.startsWith(clock === node.left ? "<" : ">")
  const isStart = node.operator.startsWith(clock === node.left ? ">" : "<")
  return isEnd || isStart ? { is: isEnd ? "end" : "start", atMs: instant.value } : undefined
}

function isClock(node: Checked): boolean {
  return node.kind === "root" && node.type.kind === "timestamp"
}

function timeText(atMs: bigint): string {
  return new Date(Number(atMs)).toISOString()
}

function place({ offset, length }: Checked) {
  return { offset, length }
}
