import { type Checked, nodesOf } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import type { Known, Warning } from "./warning.ts"

/** Expressions that are errors, or hold for nothing, where their author probably does not expect it. */
export function* lintFaults(compiled: Compiled, known: Known): Generator<Warning> {
  yield* mixedRoots(compiled)
  yield* guarded(compiled, known)
  yield* emptyLists(compiled.syntax, known)
  if (known.effect === "deny") yield* deniesLess(compiled)
}

/** A request signs at most one of these. */
const PAYLOADS = [
  "eth.tx",
  "eth.eip_712",
  "eth.eip_7702_authorization",
  "solana.tx",
  "tron.tx",
  "bitcoin.tx",
  "tempo.tx",
  "secret",
]

/** Groups of roots of which a request has at most one. It uses the account of a wallet, or a private key. */
const EXCLUSIVE = [PAYLOADS, ["wallet", "private_key"], ["wallet_account", "private_key"]]

/** Roots that no request has together: an expression with two of them is always an error. */
function* mixedRoots({ syntax, roots }: Compiled): Generator<Warning> {
  for (const group of EXCLUSIVE) {
    const [first, second] = group.filter((root) => roots.has(root))
    if (first === undefined || second === undefined) continue
    yield at(
      syntax,
      `no request has both ${first} and ${second}: this is always an error; write two policies`,
    )
    return
  }
}

/**
 * Reads that may fail beside clauses that look like a guard. There is no short circuit: in `||` the error overrides true
 * alternatives; in a DENY it overrides the denial.
 */
function* guarded({ syntax, text }: Compiled, { effect }: Known): Generator<Warning> {
  for (const node of nodesOf(syntax)) {
    if (node.kind !== "or" && !(node.kind === "and" && effect === "deny")) continue
    const readings = node.parts.map((part) => [...nodesOf(part)].filter(mayFail))
    const texts = readings.map((nodes) => new Set(nodes.map((one) => textOf(one, text))))
    // No part guards what every part reads.
    const risky = readings.flat().find((one) => !texts.every((read) => read.has(textOf(one, text))))
    if (risky === undefined) continue
    const undone =
      node.kind === "or" ? "even if another alternative is true" : "and a DENY in error does not deny"
    yield at(
      risky,
      `read whatever the other clauses give; where it is missing the whole is an error, ${undone}`,
    )
    return
  }
}

function textOf({ offset, length }: Checked, text: string): string {
  return text.slice(offset, offset + length)
}

/** Whether reading the node can fail although its root exists. */
function mayFail(node: Checked): boolean {
  switch (node.kind) {
    case "bracket":
    case "slice":
      return node.object.kind !== "list" && node.object.kind !== "literal"
    case "field":
      return node.of.partial === true
    case "literal":
    case "list":
    case "struct":
    case "root":
    case "variable":
    case "count":
    case "membership":
    case "quantifier":
    case "not":
    case "compare":
    case "and":
    case "or":
    case "fold":
    case "cron":
      return false
    default:
      return node satisfies never
  }
}

/** `all` is true for an empty list. */
function* emptyLists(tree: Checked, { effect }: Known): Generator<Warning> {
  if (effect === "deny") return
  const nodes = [...nodesOf(tree)]
  const isCounted = nodes.some(
    (node) => node.kind === "count" || (node.kind === "quantifier" && node.quantifier === "any"),
  )
  if (isCounted) return
  for (const node of nodes) {
    if (node.kind === "quantifier" && node.quantifier === "all" && node.object.kind !== "list") {
      yield at(node, "true of an empty list; add x.count() > 0 unless that is meant")
    }
  }
}

/** A DENY is an error, and denies nothing, where a root is missing. */
function* deniesLess({ syntax, roots }: Compiled): Generator<Warning> {
  const others = [...roots].filter((root) => root !== "activity")
  if (others.length > 0) {
    yield at(
      syntax,
      `denies no request without ${others.join(", ")}: there it is an error, and a DENY in error does not deny`,
    )
  }
  if (syntax.kind === "literal" && syntax.value === true)
    yield at(syntax, "denies everything but what the root quorum does")
}

function at({ offset, length }: Checked, sentence: string): Warning {
  return { offset, length, sentence }
}
