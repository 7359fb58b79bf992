import { type Budget, type Compiled, evaluate } from "../expression.ts"
import { approvalFacts } from "../facts/approvals.ts"
import { canContribute, type GroupedVotes, type SearchResult } from "./consensus-search.ts"
import { possibleVotes } from "./credentials.ts"
import type { Approval, DecisionInput } from "./decision-input.ts"
import { type Checked, childrenOf, nodesOf } from "../language/checked.ts"
import { programOf } from "../language/compile.ts"
import { bool } from "../language/types.ts"

/** Combinations of votes tried for one search; real policies need a handful. */
const MAX_ATTEMPTS = 500

type ConsensusInput = Pick<DecisionInput, "organization" | "approvals" | "nowMs">

/** A consensus, and the votes it is evaluated on: those cast, and those that users can still cast. */
export class PendingConsensus {
  readonly #consensus: Compiled
  readonly #input: ConsensusInput
  readonly #budget: Budget
  readonly #classes: VoteClasses
  readonly #contributions = new Map<string, boolean>()
  #isMet: boolean | undefined

  /** @param known classes of votes that the decision's other searches have found */
  constructor(
    consensus: Compiled,
    input: ConsensusInput,
    budget: Budget,
    known: KnownVoteClasses = new Map(),
  ) {
    this.#consensus = consensus
    this.#classes = voteClasses(consensus, budget, known)
    this.#input = input
    this.#budget = budget
  }

  /** The classes of votes; the same object for each consensus that tells votes apart alike. */
  get classes(): VoteClasses {
    return this.#classes
  }

  /** Searches for a vote cast that contributes: other votes may still complete the consensus. */
  hasContributingVote(): SearchResult {
    const { approvals } = this.#input
    let result: SearchResult = "no"
    for (const vote of approvals) {
      const one = this.#search(vote, approvals)
      if (one === "yes") return "yes"
      if (one === "undecided") result = one
    }
    return result
  }

  /**
   * True if one more vote would contribute: beside the votes cast or, if they suffice, beside any others. So a vote that
   * counts is not refused because others came first. The result is the same for all votes of one class.
   */
  wouldContribute(vote: Approval): boolean {
    if (this.#budget.left === 0) return false
    const name = this.#classes.nameOf(vote)
    const known = this.#contributions.get(name)
    if (known !== undefined) return known
    const { approvals } = this.#input
    this.#isMet ??= this.#isMetBy(approvals)
    const contributes = this.#search(vote, this.#isMet ? [vote] : [...approvals, vote]) === "yes"
    this.#contributions.set(name, contributes)
    return contributes
  }

  #search(vote: Approval, cast: readonly Approval[]): SearchResult {
    if (this.#budget.left === 0) return "undecided"
    const search = {
      cast,
      possible: this.#possibleBeside(cast),
      grouped: this.#classes.groupedBeside(cast),
      isMetBy: (votes: readonly Approval[]) => this.#isMetBy(votes),
      classOf: (one: Approval) => this.#classes.nameOf(one),
      maxPerClass: classesOf(this.#consensus).maxPerClass,
      spend: (steps: number) => {
        this.#budget.spend(steps)
        return this.#budget.left > 0
      },
    }
    const result = canContribute(search, vote, MAX_ATTEMPTS)
    return result === "no" && this.#budget.left === 0 ? "undecided" : result
  }

  /** One by one: the search charges each before it asks for the next, and often needs none. */
  *#possibleBeside(cast: readonly Approval[]): Generator<readonly Approval[]> {
    const hasVoted = new Set(cast.map(({ user }) => user.userId))
    const { organization, nowMs } = this.#input
    for (const user of organization.document.users)
      if (!hasVoted.has(user.userId)) yield possibleVotes(user, nowMs)
  }

  #isMetBy(votes: readonly Approval[]): boolean {
    // The lists that the consensus reads are made anew for each combination of votes.
    this.#budget.spend(votes.length)
    const evaluation = evaluate(this.#consensus, approvalFacts(votes), this.#budget)
    return "value" in evaluation && evaluation.value
  }
}

/** Classes of votes in one decision, by the way in which a consensus tells votes apart. */
export type KnownVoteClasses = Map<string, VoteClasses>

/**
 * The classes of one decision's votes, and the possible votes in groups. Thousands of policies may ask for the same: each
 * user is looked at once for all of them.
 */
export class VoteClasses {
  readonly #classes: ConsensusClasses
  readonly #budget: Budget
  /** The class of all votes where no predicate looks at them. */
  readonly #only: string | undefined
  readonly #names = new Map<Approval, string>()
  readonly #grouped = new Map<string, GroupedVotes<Approval>>()

  constructor(classes: ConsensusClasses, budget: Budget) {
    this.#classes = classes
    this.#budget = budget
    const { predicates } = classes
    const isOne = predicates?.every(({ expression }) => expression === undefined) ?? false
    this.#only = isOne ? "1".repeat(predicates?.length ?? 0) : undefined
  }

  /** The class of a vote; "": the vote makes no difference. */
  nameOf(vote: Approval): string {
    if (this.#only !== undefined) return this.#only
    const known = this.#names.get(vote)
    if (known !== undefined) return known
    const name = classOf(this.#classes, vote, this.#budget)
    this.#names.set(vote, name)
    return name
  }

  /** The possible votes of all users but those of the votes cast. */
  groupedBeside(cast: readonly Approval[]): GroupedVotes<Approval> {
    const key = JSON.stringify(cast.map(({ user }) => user.userId))
    const grouped = this.#grouped.get(key) ?? {}
    this.#grouped.set(key, grouped)
    return grouped
  }
}

function voteClasses(consensus: Compiled, budget: Budget, known: KnownVoteClasses): VoteClasses {
  const classes = classesOf(consensus)
  const found = known.get(classes.name) ?? new VoteClasses(classes, budget)
  known.set(classes.name, found)
  return found
}

export type ConsensusClasses = {
  /** The same for each consensus that tells votes apart alike. */
  readonly name: string
  /** The consensus's conditions on single votes; undefined: it compares votes, so that no two are alike. */
  readonly predicates: readonly VotePredicate[] | undefined
  /** More votes of one class than this make no further difference. */
  readonly maxPerClass: number
}

/** A vote counts where the expression has this value; an absent expression: every vote counts. */
type VotePredicate = { readonly expression?: Predicate; readonly counts: boolean }

type Predicate = Pick<Compiled, "text" | "program">

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
    ? { name: nameOf(predicates), predicates, maxPerClass: maxPerClassOf(consensus) }
    : { name: "", predicates: undefined, maxPerClass: 1 }
  knownClasses.set(consensus, classes)
  return classes
}

function nameOf(predicates: readonly VotePredicate[]): string {
  return JSON.stringify(predicates.map(({ expression, counts }) => [expression?.text ?? "", counts]))
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

/** The body of a lambda about one vote, as an expression of its own: of the checked tree, which is not checked again. */
function predicateOf(
  { text: whole }: Compiled,
  root: Checked & { kind: "root" },
  node: Quantified,
): Predicate {
  const { body, variable } = node
  const quantifier = node.quantifier === "all" ? ("all" as const) : ("any" as const)
  const text = `${root.root}.${quantifier}(${variable}, ${whole.slice(body.offset, body.offset + body.length)})`
  const size = 1 + root.size + body.size
  const syntax: Checked = { ...node, quantifier, object: root, type: bool, size }
  return { text, program: programOf(syntax) }
}

type Quantified = Checked & { kind: "quantifier" }

/** The root whose votes a list holds: the root itself, or a filter of it. */
function rootOfVotes(node: Checked): (Checked & { kind: "root" }) | undefined {
  if (node.kind === "root") return VOTES.has(node.root) ? node : undefined
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
