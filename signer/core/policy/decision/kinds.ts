import { type Budget, type Compiled, compile, evaluate } from "../expression.ts"
import { type Checked, childrenOf, nodesOf } from "../language/checked.ts"
import { approvalFacts } from "../facts/approvers.ts"
import type { Approval } from "./decision-input.ts"

/** What a consensus asks of single votes. */
export type Yardstick = {
  /** Its questions about one vote; undefined: it asks about votes together, so that no two are alike. */
  readonly tests: readonly Test[] | undefined
  /** More equal votes than this make no further difference. */
  readonly most: number
}

/** A vote counts for something where a test has this answer; `predicate` absent: always. */
type Test = { readonly predicate?: Compiled; readonly counts: boolean }

/** Roots that hold one element for each vote. */
const VOTES: ReadonlySet<string> = new Set(["approvers", "credentials"])

/** Numbers that a consensus names are compared with counts of votes; there are never more of these. */
const MOST_VOTES = 1000n

const yardsticks = new WeakMap<Compiled, Yardstick>()

/**
 * Reads off a consensus by what it tells votes apart: the bodies of its lambdas. All that it then knows of many votes
 * is how many there are of each kind, and of a number only how it compares with the numbers that it names.
 */
export function yardstickOf(consensus: Compiled): Yardstick {
  const known = yardsticks.get(consensus)
  if (known !== undefined) return known
  const tests: Test[] = []
  const isByKind = collectTests(consensus, consensus.syntax, tests)
  const yardstick = isByKind ? { tests, most: mostOf(consensus) } : { tests: undefined, most: 1 }
  yardsticks.set(consensus, yardstick)
  return yardstick
}

/**
 * The kind of a vote: its answers to all tests. "": it has none that counts, with or without it everything is the
 * same.
 */
export function kindOf({ tests }: Yardstick, vote: Approval, budget: Budget): string {
  if (tests === undefined) return JSON.stringify([vote.user.userId, vote.credentials])
  const facts = approvalFacts([vote])
  const answers = tests.map(({ predicate, counts }) => {
    if (predicate === undefined) return "1"
    const answer = evaluate(predicate, facts, budget)
    if ("fault" in answer) return "e"
    return answer.value === counts ? "1" : "0"
  })
  return answers.every((answer) => answer === "0") ? "" : answers.join("")
}

/** False: it looks at votes in a way that no test of a single one stands for. */
function collectTests(consensus: Compiled, node: Checked, tests: Test[]): boolean {
  switch (node.kind) {
    case "root":
      return !VOTES.has(node.root)
    case "count":
      if (node.object.kind !== "root" || !VOTES.has(node.object.root)) break
      tests.push({ counts: true })
      return true
    case "quantifier": {
      if (mentionsVotes(node.body)) return false
      const root = rootOfVotes(node.object)
      if (root === undefined) return !mentionsVotes(node.object)
      tests.push({ predicate: testOf(consensus, root, node), counts: node.quantifier !== "all" })
      return node.object.kind === "root" || collectTests(consensus, node.object, tests)
    }
    case "bracket":
    case "slice":
    case "membership":
      return !mentionsVotes(node)
    default:
  }
  return childrenOf(node).every((child) => collectTests(consensus, child, tests))
}

/** The body of a lambda about one vote, as an expression of its own. */
function testOf(consensus: Compiled, root: string, node: Checked & { kind: "quantifier" }): Compiled {
  const { offset, length } = node.body
  const quantifier = node.quantifier === "all" ? "all" : "any"
  const body = consensus.text.slice(offset, offset + length)
  return compile(`${root}.${quantifier}(${node.variable}, ${body})`, "consensus")
}

/** The root whose votes a list holds: the root itself, or what filters leave of it. */
function rootOfVotes(node: Checked): string | undefined {
  if (node.kind === "root") return VOTES.has(node.root) ? node.root : undefined
  return node.kind === "quantifier" ? rootOfVotes(node.object) : undefined
}

function mentionsVotes(tree: Checked): boolean {
  for (const node of nodesOf(tree)) if (node.kind === "root" && VOTES.has(node.root)) return true
  return false
}

function mostOf({ syntax }: Compiled): number {
  let largest = 0n
  for (const node of nodesOf(syntax)) {
    // Numbers of votes that are compared with one another know no bound but the number of users.
    if (node.kind === "compare" && mentionsVotes(node.left) && mentionsVotes(node.right)) largest = MOST_VOTES
    if (node.kind === "literal" && typeof node.value === "bigint" && node.value > largest)
      largest = node.value
  }
  return Number(largest > MOST_VOTES ? MOST_VOTES : largest) + 1
}
