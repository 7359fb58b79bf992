import type { Checked } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import type { Known, Warning } from "./warning.ts"

/**
 * More approvals should never make a consensus false, and some number of them should meet it. Whether one more approval
 * can make a part false is decided by the part's form.
 */
export function* lintConsensus({ syntax }: Compiled, known: Known): Generator<Warning> {
  yield* shrinking(syntax, true)
  yield* unreachable(syntax, known)
}

/** Parts that one more approver can turn from true to false; under `!`, from false to true. */
function* shrinking(node: Checked, growing: boolean): Generator<Warning> {
  switch (node.kind) {
    case "and":
    case "or":
      for (const part of node.parts) yield* shrinking(part, growing)
      return
    case "not":
      yield* shrinking(node.operand, !growing)
      return
    case "quantifier":
      if (isOfApprovers(node.object) && (node.quantifier === "any") !== growing) yield warn(node)
      return
    case "compare": {
      const [left, right] = [isCount(node.left), isCount(node.right)]
      if (!left && !right) return
      const grows = node.operator.startsWith(left ? ">" : "<")
      const shrinks = node.operator.startsWith(left ? "<" : ">")
      if (growing ? !grows : !shrinks) yield warn(node)
      return
    }
    default:
  }
}

/** Parts that need more approvers than there are users. */
function* unreachable(node: Checked, known: Known): Generator<Warning> {
  if (node.kind === "literal" && node.value === false) yield { ...place(node), sentence: "never reached" }
  if (node.kind === "and") for (const part of node.parts) yield* unreachable(part, known)
  const users = known.existing?.get("user-id")?.size
  if (node.kind !== "compare" || users === undefined || node.right.kind !== "literal" || !isCount(node.left))
    return
  const { value } = node.right
  if (typeof value !== "bigint") return
  const needed = node.operator === ">" ? value + 1n : value
  if (!node.operator.startsWith("<") && node.operator !== "!=" && needed > BigInt(users)) {
    yield { ...place(node), sentence: `never reached: there are ${users} users` }
  }
}

function isCount(node: Checked): boolean {
  return node.kind === "count" && isOfApprovers(node.object)
}

/** The list of a root, or a filter or slice of it. */
function isOfApprovers(node: Checked): boolean {
  if (node.kind === "root") return true
  return (node.kind === "slice" || node.kind === "quantifier") && isOfApprovers(node.object)
}

function warn(node: Checked): Warning {
  return { ...place(node), sentence: "one more approval can make this false again" }
}

function place({ offset, length }: Checked): { offset: number; length: number } {
  return { offset, length }
}
