import { type Checked, nodesOf } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import type { OrganizationNames, Warning } from "./warning.ts"

/** Warns of expressions that are errors, or false, where their author probably does not expect it. */
export function* lintFaults(compiled: Compiled, known: OrganizationNames): Generator<Warning> {
  yield* lintExclusiveRoots(compiled)
  yield* lintGuards(compiled, known)
  yield* lintEmptyLists(compiled.syntax, known)
  if (known.effect === "deny" && compiled.field === "condition") yield* lintMissingRoots(compiled, known)
}

/** A request signs at most one of these. A user operation may also be typed data. */
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

/** Groups of mutually exclusive roots. For example, a request uses the account of a wallet or a private key, never both. */
const EXCLUSIVE = [
  PAYLOADS,
  ["eth.user_op", ...PAYLOADS.filter((root) => root !== "eth.eip_712")],
  ["wallet", "private_key"],
  ["wallet_account", "private_key"],
]

/** Warns of two mutually exclusive roots in one expression: its evaluation is always an error. */
function* lintExclusiveRoots({ syntax, roots }: Compiled): Generator<Warning> {
  for (const group of EXCLUSIVE) {
    const [first, second] = group.filter((root) => roots.has(root))
    if (first === undefined || second === undefined) continue
    yield warningAt(
      syntax,
      `no request has both ${first} and ${second}: this is always an error; write two policies`,
    )
    return
  }
}

/**
 * Warns of reads that may fail beside a clause that looks like a guard. There is no short circuit: in `||` the error
 * overrides true alternatives; in a DENY it overrides the denial.
 */
function* lintGuards(
  { syntax, text }: Compiled,
  { effect, isStrict }: OrganizationNames,
): Generator<Warning> {
  const isOverridden = effect === "deny" && isStrict !== true
  for (const node of nodesOf(syntax)) {
    if (node.kind !== "or" && !(node.kind === "and" && isOverridden)) continue
    const readings = node.parts.map((part) => [...nodesOf(part)].filter(mayFail))
    const parts = new Map<string, number>()
    for (const nodes of readings) {
      for (const read of new Set(nodes.map((one) => textOf(one, text))))
        parts.set(read, (parts.get(read) ?? 0) + 1)
    }
    // A read in every part has no guard.
    const risky = readings.flat().find((one) => parts.get(textOf(one, text)) !== node.parts.length)
    if (risky === undefined) continue
    const undone =
      node.kind === "or" ? "even if another alternative is true" : "and a DENY in error does not deny"
    yield warningAt(
      risky,
      `read even if another clause is false; if it is missing, the whole expression is an error, ${undone}`,
    )
    return
  }
}

function textOf({ offset, length }: Checked, text: string): string {
  return text.slice(offset, offset + length)
}

/** True if reading the node can fail although its root exists. */
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

/** Warns of `all`, which is true for an empty list. */
function* lintEmptyLists(tree: Checked, { effect }: OrganizationNames): Generator<Warning> {
  if (effect === "deny") return
  const nodes = [...nodesOf(tree)]
  const isCounted = nodes.some(
    (node) => node.kind === "count" || (node.kind === "quantifier" && node.quantifier === "any"),
  )
  if (isCounted) return
  for (const node of nodes) {
    if (node.kind === "quantifier" && node.quantifier === "all" && node.object.kind !== "list") {
      yield warningAt(node, "true of an empty list; add x.count() > 0 unless that is meant")
    }
  }
}

/** Warns of a DENY that is an error, and denies nothing, where a root is missing. */
function* lintMissingRoots({ syntax, roots }: Compiled, { isAlone }: OrganizationNames): Generator<Warning> {
  const others = [...roots].filter((root) => root !== "activity" && root !== "controls")
  if (others.length > 0) {
    yield warningAt(
      syntax,
      `denies no request without ${others.join(", ")}: there it is an error, and a DENY in error does not deny`,
    )
  }
  if (syntax.kind === "literal" && syntax.value === true && isAlone !== false)
    yield warningAt(syntax, "denies everything but what the root quorum does")
}

function warningAt({ offset, length }: Checked, sentence: string): Warning {
  return { offset, length, sentence }
}
