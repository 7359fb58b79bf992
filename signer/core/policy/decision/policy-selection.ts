// Which policies of an organization one decision has to evaluate. An organization with a policy for each of a thousand wallets or users
// has a thousand that cannot allow a request, each for want of one text. Only an ALLOW is ever left out: a fault here can deny, and never allow.
import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { RootReader } from "../expression.ts"
import type { DecisionInput } from "./decision-input.ts"
import { APPROVERS, type Guard, type GuardedPolicy, guardedPolicy, GuardedTexts } from "./guards.ts"
import type { PolicyResult } from "./policy-evaluator.ts"
import { type CompiledPolicy, policiesOf } from "./policy-set.ts"

/** Policies with the same fields: where one of these cannot be read, all of them are evaluated. */
type Family = Pick<GuardedPolicy, "fields" | "roots"> & {
  readonly members: number[]
  readonly lookups: Map<string, GuardedTexts>
}

type PolicyIndex = {
  readonly policies: readonly CompiledPolicy[]
  /** Positions of policies that every decision evaluates. */
  readonly always: readonly number[]
  readonly families: readonly Family[]
  /** Results of a policy without its guard's texts, and without a root, by position. */
  readonly denied: readonly PolicyResult[]
  readonly lacking: readonly PolicyResult[]
}

const indexes = new WeakMap<readonly CompiledPolicy[], PolicyIndex>()

/** The policies that one decision evaluates, and the results of the others. */
export class PolicySelection {
  /** Policies to evaluate, in the order of the document. */
  readonly policies: readonly CompiledPolicy[]
  readonly #index: PolicyIndex
  readonly #positions: readonly number[]
  readonly #items: readonly RootReader[]

  constructor({
    organization,
    approvals,
    facts,
  }: Pick<DecisionInput, "organization" | "approvals" | "facts">) {
    const { policies } = policiesOf(organization)
    this.#index = indexes.get(policies) ?? makeIndex(policies)
    indexes.set(policies, this.#index)
    this.#items = facts.items
    const approverIds = approvals.map(({ user }) => user.userId)
    const found = new Set(this.#index.always)
    for (const family of this.#index.families)
      for (const reader of facts.items)
        for (const position of positionsIn(family, reader, approverIds)) found.add(position)
    this.#positions = [...found].toSorted((a, b) => a - b)
    this.policies = this.#positions.map((position) => policies[position]!)
  }

  /** The results of all policies for one item, in the order of the document. @param evaluated those of `policies` */
  resultsOf(item: number, evaluated: readonly PolicyResult[]): readonly PolicyResult[] {
    const { denied, lacking, families } = this.#index
    if (evaluated.length === denied.length) return evaluated
    const results = [...denied]
    for (const { roots, members } of families)
      if (roots.some((root) => this.#items[item]?.(root) === undefined))
        for (const position of members) results[position] = lacking[position]!
    for (const [index, position] of this.#positions.entries()) results[position] = evaluated[index]!
    return results
  }
}

/** Positions of the members that have to be evaluated for an item. */
function positionsIn(
  { fields, roots, members, lookups }: Family,
  readRoot: RootReader,
  approverIds: readonly string[],
): readonly number[] {
  if (roots.some((root) => readRoot(root) === undefined)) return []
  const values = new Map(fields.map(({ name, read }) => [name, read(readRoot)]))
  if ([...values.values()].includes(undefined)) return members
  return [...lookups].flatMap(([of, texts]) => {
    if (of === APPROVERS) return approverIds.flatMap((id) => texts.find(id))
    return texts.find(values.get(of))
  })
}

function makeIndex(policies: readonly CompiledPolicy[]): PolicyIndex {
  const guarded = policies.map(guardedPolicy)
  const uses = countUses(guarded)
  const always: number[] = []
  const families = new Map<string, Family>()
  for (const [position, policy] of guarded.entries()) {
    const guard = policy && rarest(policy.guards, uses)
    if (policy === undefined || guard === undefined) always.push(position)
    else addMember(families, policy, guard, position)
  }
  const result = (outcome: Outcome) =>
    policies.map(({ policyId }) => ({ policyId, outcome, denies: false, isUndecided: false }))
  return {
    policies,
    always,
    families: [...families.values()],
    denied: result(Outcome.DENY_IMPLICIT),
    lacking: result(Outcome.ERROR),
  }
}

function addMember(
  families: Map<string, Family>,
  { fields, roots }: GuardedPolicy,
  { of, texts }: Guard,
  position: number,
): void {
  const name = fields
    .map((field) => field.name)
    .toSorted()
    .join(" ")
  const family = families.get(name) ?? {
    fields,
    roots,
    members: [],
    lookups: new Map<string, GuardedTexts>(),
  }
  families.set(name, family)
  family.members.push(position)
  const lookup = family.lookups.get(of) ?? new GuardedTexts()
  family.lookups.set(of, lookup)
  for (const text of new Set(texts)) lookup.add(text, position)
}

/** How many policies have each text of a guard. */
function countUses(guarded: readonly (GuardedPolicy | undefined)[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>()
  for (const policy of guarded)
    for (const guard of policy?.guards ?? [])
      for (const name of namesOf(guard)) uses.set(name, (uses.get(name) ?? 0) + 1)
  return uses
}

/** The guard that lets the fewest requests through: `wallet.id` rather than `activity.action`. */
function rarest(guards: readonly Guard[], uses: ReadonlyMap<string, number>): Guard | undefined {
  const costOf = (guard: Guard) => namesOf(guard).reduce((sum, name) => sum + (uses.get(name) ?? 0), 0)
  return guards.toSorted((one, other) => costOf(one) - costOf(other))[0]
}

function namesOf({ of, texts }: Guard): readonly string[] {
  return texts.map((text) => `${of} ${text}`)
}
