import { type Budget, type Compiled, compile, evaluate } from "../expression.ts"
import { approvalFacts } from "../facts/approvals.ts"
import { type Checked, childrenOf, nodesOf } from "../language/checked.ts"
import type { Approval } from "./decision-input.ts"

/** The classes into which a consensus divides votes. */
export type ConsensusClasses = {
  /** The consensus's conditions on single votes; undefined: it compares votes, so that no two are alike. */
  readonly predicates: readonly VotePredicate[] | undefined
  /** More votes of one class than this make no further difference. */
  readonly maxPerClass: number
}

/** A vote counts where the expression has this value; an absent expression: every vote counts. */
type VotePredicate = { readonly expression?: Compiled; readonly counts: boolean }

/** Roots that hold one element for each vote. */
const VOTES: ReadonlySet<string> = new Set(["approvers", "credentials"])

/** Numbers in a consensus are compared with counts of votes; there are never more votes than this. */
const MAX_COUNTED_VOTES = 1000n

const knownClasses = new WeakMap<Compiled, ConsensusClasses>()

/**
 * Finds how a consensus tells votes apart: by the bodies of its lambdas. All else that it knows of many votes is how
 * many each class has, and how that number compares with the numbers in its text.
 */
export function classesOf(consensus: Compiled): ConsensusClasses {
  const known = knownClasses.get(consensus)
  if (known !== undefined) return known
  const predicates: VotePredicate[] = []
  const isByClass = collectPredicates(consensus, consensus.syntax, predicates)
  const classes = isByClass
    ? { predicates, maxPerClass: maxPerClassOf(consensus) }
    : { predicates: undefined, maxPerClass: 1 }
  knownClasses.set(consensus, classes)
  return classes
}

/** The class of a vote: the values of all predicates. "": none counts, so the vote makes no difference. */
export function classOf({ predicates }: ConsensusClasses, vote: Approval, budget: Budget): string {
  if (predicates === undefined) return JSON.stringify([vote.user.userId, vote.credentials])
  const facts = approvalFacts([vote])
  const values = predicates.map(({ expression, counts }) => {
    if (expression === undefined) return "1"
    const evaluation = evaluate(expression, facts, budget)
    if ("fault" in evaluation) return "e"
    return evaluation.value === counts ? "1" : "0"
  })
  return values.every((value) => value === "0") ? "" : values.join("")
}

/** False: the consensus uses votes in a way that no predicate on a single vote can express. */
function collectPredicates(consensus: Compiled, node: Checked, predicates: VotePredicate[]): boolean {
  switch (node.kind) {
    case "root":
      return !VOTES.has(node.root)
    case "count":
      if (node.object.kind !== "root" || !VOTES.has(node.object.root)) break
      predicates.push({ counts: true })
      return true
    case "quantifier": {
      if (mentionsVotes(node.body)) return false
      const root = rootOfVotes(node.object)
      if (root === undefined) return !mentionsVotes(node.object)
      predicates.push({ expression: predicateOf(consensus, root, node), counts: node.quantifier !== "all" })
      return node.object.kind === "root" || collectPredicates(consensus, node.object, predicates)
    }
    case "bracket":
    case "slice":
    case "membership":
      return !mentionsVotes(node)
    default:
  }
  return childrenOf(node).every((child) => collectPredicates(consensus, child, predicates))
}

/** The body of a lambda about one vote, as an expression of its own. */
function predicateOf(consensus: Compiled, root: string, node: Checked & { kind: "quantifier" }): Compiled {
  const { offset, length } = node.body
  const quantifier = node.quantifier === "all" ? "all" : "any"
  const body = consensus.text.slice(offset, offset + length)
  return compile(`${root}.${quantifier}(${node.variable}, ${body})`, "consensus")
}

/** The root whose votes a list holds: the root itself, or a filter of it. */
function rootOfVotes(node: Checked): string | undefined {
  if (node.kind === "root") return VOTES.has(node.root) ? node.root : undefined
  return node.kind === "quantifier" ? rootOfVotes(node.object) : undefined
}

function mentionsVotes(tree: Checked): boolean {
  for (const node of nodesOf(tree)) if (node.kind === "root" && VOTES.has(node.root)) return true
  return false
}

function maxPerClassOf({ syntax }: Compiled): number {
  let largest = 0n
  for (const node of nodesOf(syntax)) {
    // Two counts of votes compared with one another are bounded by the number of users alone.
    if (node.kind === "compare" && mentionsVotes(node.left) && mentionsVotes(node.right))
      largest = MAX_COUNTED_VOTES
    if (node.kind === "literal" && typeof node.value === "bigint" && node.value > largest)
      largest = node.value
  }
  return Number(largest > MAX_COUNTED_VOTES ? MAX_COUNTED_VOTES : largest) + 1
}
