import { counted } from "../../signer/core/counted.ts"
import type { Checked } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import type { OrganizationNames, Warning } from "./warning.ts"

/**
 * Warns of a consensus that one more approval can make false, or that no number of approvals can meet. The form of a part
 * shows whether one more approval can make it false.
 */
export function* lintConsensus({ syntax }: Compiled, known: OrganizationNames): Generator<Warning> {
  // A DENY that ends with an approval is a way to ask for that approval.
  if (known.effect !== "deny") yield* lintRevocable(syntax, true)
  yield* lintUnreachable(syntax, known)
}

/** Parts that one more approver can turn from true to false; under `!`, from false to true. */
function* lintRevocable(node: Checked, growing: boolean): Generator<Warning> {
  switch (node.kind) {
    case "and":
    case "or":
      for (const part of node.parts) yield* lintRevocable(part, growing)
      return
    case "not":
      yield* lintRevocable(node.operand, !growing)
      return
    case "quantifier":
      if (isApprovalList(node.object) && (node.quantifier === "any") !== growing) yield warn(node)
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
function* lintUnreachable(node: Checked, known: OrganizationNames): Generator<Warning> {
  if (node.kind === "literal" && node.value === false) yield { ...place(node), sentence: "never reached" }
  if (node.kind === "and") for (const part of node.parts) yield* lintUnreachable(part, known)
  const users = known.existing?.get("user-id")?.size
  if (node.kind !== "compare" || users === undefined || node.right.kind !== "literal" || !isCount(node.left))
    return
  const { value } = node.right
  if (typeof value !== "bigint") return
  const needed = node.operator === ">" ? value + 1n : value
  if (!node.operator.startsWith("<") && node.operator !== "!=" && needed > BigInt(users)) {
    yield {
      ...place(node),
      sentence: `never reached: there ${users === 1 ? "is" : "are"} ${counted(users, "user")}`,
    }
  }
}

function isCount(node: Checked): boolean {
  return node.kind === "count" && isApprovalList(node.object)
}

/** The list of a root, or a filter or slice of it. */
function isApprovalList(node: Checked): boolean {
  if (node.kind === "root") return true
  return (node.kind === "slice" || node.kind === "quantifier") && isApprovalList(node.object)
}

function warn(node: Checked): Warning {
  return { ...place(node), sentence: "one more approval can make this false again" }
}

function place({ offset, length }: Checked): { offset: number; length: number } {
  return { offset, length }
}
