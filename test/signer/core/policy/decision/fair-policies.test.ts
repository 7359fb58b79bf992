// No policy takes the steps of another: outcomes do not depend on the order of policies, nor on costly ones among them.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../../../../proto/catalog.ts"
import { CredentialType, Effect, Outcome } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { possibleVotes } from "../../../../../signer/core/policy/decision/credentials.ts"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { type DecisionInput, newBudgets } from "../../../../../signer/core/policy/decision/decision-input.ts"
import { countVote, eligibleVoters } from "../../../../../signer/core/policy/decision/eligible-votes.ts"
import { Budget, type RootReader } from "../../../../../signer/core/policy/expression.ts"
import { inFairShares } from "../../../../../signer/core/policy/fair-shares.ts"
import { RequestFacts } from "../../../../../signer/core/policy/facts/request-facts.ts"
import { MAX_APPROVAL_STEPS, MAX_SEARCH_STEPS } from "../../../../../signer/core/policy/language/limits.ts"
import { members } from "../../../../../signer/core/policy/language/value.ts"
import { runAtOnce } from "../../../../../signer/core/turns/steps.ts"
import type { PolicyInit } from "./fixture.ts"

const LONG = "x".repeat(100_000)
/** A typed message with a long text, which conditions can be made to scan. */
const message: RootReader = (root) =>
  root === "eth.eip_712" ? members({ message: members({ text: LONG }) }) : undefined

type Setup = { users: number; policies: readonly PolicyInit[]; facts?: RootReader }

/** Users with one API key and one of seven tags; user 0 submits and no user is root. */
function inputOf({ users, policies, facts = () => undefined }: Setup): DecisionInput {
  const document = create(OrganizationDocumentSchema, {
    users: Array.from({ length: users }, (_, user) => ({
      userId: `user ${user}`,
      tagIds: [`tag ${user % 7}`],
      apiKeys: [{ apiKeyId: `${user}`, publicKey: `${user}`, type: CredentialType.API_KEY_P256 }],
    })),
    policies: policies.map((policy) => ({ effect: Effect.ALLOW, ...policy })),
  })
  const organization = new Organization(document, new Uint8Array(32), 0)
  return {
    organization,
    activity: activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")!,
    parameters: {},
    submitterId: "user 0",
    approvals: [possibleVotes(organization.user("user 0")!, 0)[0]!],
    facts: new RequestFacts([facts]),
    nowMs: 0,
    budgets: newBudgets(),
  }
}

const named = (name: string, count: number, consensus: (index: number) => string): PolicyInit[] =>
  Array.from({ length: count }, (_, index) => ({ policyId: `${name} ${index}`, consensus: consensus(index) }))

/** A deleted user and any second. */
const deletedAndSecond = (count: number) =>
  named("deleted", count, (index) => `approvers.any(u, u.id == 'gone ${index}') && approvers.count() >= 2`)

const WAITS: PolicyInit = {
  policyId: "waits",
  consensus: "approvers.any(u, u.id == 'user 0') && approvers.count() >= 2",
}

const outcomeOf = (input: DecisionInput, policyId: string) =>
  decide(input).policyOutcomes.find((one) => one.policyId === policyId)?.outcome

for (const [policies, users] of [
  [70, 30],
  [7, 300],
  [999, 1000],
] as const) {
  t.test(
    `${policies} policies that ask for a deleted user starve no later one of ${users} users`,
    async (t) => {
      const input = inputOf({ users, policies: [...deletedAndSecond(policies), WAITS] })
      const { outcome, policyOutcomes } = decide(input)
      t.equal(outcome, "consensus")
      t.equal(policyOutcomes.at(-1)?.outcome, Outcome.REQUIRES_CONSENSUS)
      t.ok(policyOutcomes.slice(0, -1).every((one) => one.outcome === Outcome.DENY_IMPLICIT))
      const spent = MAX_SEARCH_STEPS - input.budgets!.searches.left
      t.ok(spent < 60 * (policies + 2), `${spent} steps`)
      for (const name of ["user 1", `user ${users - 1}`]) {
        const [vote] = possibleVotes(input.organization.user(name)!, 0)
        t.same(countVote(input, vote!), { counts: true, undecidedPolicyIds: [] }, name)
      }
      t.same(eligibleVoters(input), {
        userIds: Array.from({ length: users - 1 }, (_, user) => `user ${user + 1}`),
        undecidedUserIds: [],
      })
    },
  )
}

/** Small numbers, the same in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function shuffled<Value>(values: readonly Value[], next: (below: number) => number): Value[] {
  const all = [...values]
  for (let index = all.length - 1; index > 0; index--) {
    const other = next(index + 1)
    ;[all[index], all[other]] = [all[other]!, all[index]!]
  }
  return all
}

const scan = (times: number, mark: string) =>
  Array.from(
    { length: times },
    (_, at) => `CaseInsensitiveString(eth.eip_712.message['text']) == '${mark}${at}'`,
  ).join(" || ")

/** Compares votes with each other, so that every set of votes must be tried. */
const pair = (id: string) => `approvers.any(u, credentials.any(c, c.user_id == u.id && c.id == '${id}'))`

/** Policies of every cost; the costly ones alone use more steps than there are for all. */
const MIXED: readonly PolicyInit[] = [
  WAITS,
  ...deletedAndSecond(20),
  ...named(
    "tags",
    5,
    (index) => `approvers.filter(u, u.tags.contains('tag ${index}')).count() >= ${1 + index}`,
  ),
  ...named("pairs", 12, (index) => pair(`gone ${index}`)),
  ...named("texts", 10, (index) => `approvers.any(u, u.id[0] == '${index}') && approvers.count() >= 2`),
  ...named("exactly", 6, (index) =>
    Array.from(
      { length: 7 },
      (_, tag) => `approvers.filter(u, u.tags.contains('tag ${tag}')).count() == ${index + tag}`,
    ).join(" || "),
  ),
  ...Array.from({ length: 12 }, (_, index) => ({
    policyId: `scans ${index}`,
    condition: scan(4 + index, `${index} `),
  })),
  ...Array.from({ length: 5 }, (_, index) => ({
    policyId: `cron ${index}`,
    time: Array.from({ length: 3 + 20 * index }, () => `CronSpan('${index} 9 * * *', '1m', 'UTC')`).join(
      " || ",
    ),
  })),
  { policyId: "denies", effect: Effect.DENY, condition: scan(9, "deny ") },
]

t.test("every order of the policies has the same outcomes, voters and undecided policies", async (t) => {
  const next = chance(20_270_101)
  const resultsOf = (policies: readonly PolicyInit[]) => {
    const input = () => inputOf({ users: 30, policies, facts: message })
    const { outcome, policyOutcomes } = decide(input())
    const [vote] = possibleVotes(input().organization.user("user 5")!, 0)
    const { counts, undecidedPolicyIds } = countVote(input(), vote!)
    return {
      outcome,
      policies: Object.fromEntries(policyOutcomes.map((one) => [one.policyId, one.outcome])),
      voters: eligibleVoters(input()),
      vote: [counts, undecidedPolicyIds.toSorted()],
    }
  }
  for (const policies of [MIXED, MIXED.filter(({ policyId }) => policyId !== "denies"), MIXED.slice(1, -1)]) {
    const expected = resultsOf(policies)
    const outcomes = new Set(Object.values(expected.policies))
    t.ok(
      outcomes.has(Outcome.ERROR) && outcomes.has(Outcome.DENY_IMPLICIT),
      "some are given up, some are not",
    )
    for (let round = 0; round < 12; round++) t.same(resultsOf(shuffled(policies, next)), expected)
  }
})

t.test(
  "costly conditions, consensus and time expressions of others leave a cheap policy its outcome",
  async (t) => {
    const cheap: PolicyInit = { ...WAITS, policyId: "cheap" }
    for (const kind of ["pairs", "texts", "exactly", "scans", "cron"]) {
      const costly = Array.from({ length: 8 }, (_, copy) =>
        MIXED.filter(({ policyId }) => policyId?.startsWith(kind)).map((policy) => ({
          ...policy,
          policyId: `${policy.policyId} ${copy}`,
          ...(policy.consensus && { consensus: `${policy.consensus} || ${copy} > 99` }),
          ...(policy.condition && { condition: `${policy.condition} || ${copy} > 99` }),
          ...(policy.time && { time: `${policy.time} || ${copy} > 99` }),
        })),
      ).flat()
      const input = inputOf({ users: 30, policies: [...costly, cheap], facts: message })
      t.equal(outcomeOf(input, "cheap"), Outcome.REQUIRES_CONSENSUS, kind)
    }
  },
)

t.test(
  "a request that only a policy beyond its steps may allow is undecided, and names the policy",
  async (t) => {
    const costly = pair("gone")
    const rows: readonly [title: string, policies: PolicyInit[], outcome: string][] = [
      ["a search", [{ policyId: "costly", consensus: costly }], "undecided"],
      ["a condition", [{ policyId: "costly", condition: scan(60, "a") }], "undecided"],
      ["beside one that waits", [{ policyId: "costly", consensus: costly }, WAITS], "consensus"],
      [
        "beside one that allows",
        [{ policyId: "costly", consensus: costly }, { policyId: "allows" }],
        "allow",
      ],
      ["a DENY", [{ policyId: "costly", effect: Effect.DENY, condition: scan(60, "a") }], "deny"],
      [
        "with a condition that fails",
        [{ policyId: "costly", consensus: costly, condition: "1 > 2" }],
        "deny",
      ],
      [
        "with a consensus that the submitter cannot help",
        [{ policyId: "costly", condition: scan(60, "a"), consensus: "approvers.any(u, u.id == 'user 1')" }],
        "deny",
      ],
      [
        "with a consensus that the submitter can help",
        [{ policyId: "costly", condition: scan(60, "a"), consensus: "approvers.count() > 1" }],
        "undecided",
      ],
    ]
    for (const [title, policies, outcome] of rows) {
      const decision = decide(inputOf({ users: 30, policies, facts: message }))
      t.equal(decision.outcome, outcome, title)
      if (decision.outcome === "undecided") t.match(decision.reason, /^policy costly: /, title)
    }
  },
)

t.test(
  "a vote that only a policy beyond its steps may count is neither counted nor refused as not counting",
  async (t) => {
    const costly = { policyId: "costly", consensus: pair("gone") }
    const voteOf = (policies: PolicyInit[]) => {
      const input = inputOf({ users: 30, policies, facts: message })
      return countVote(input, possibleVotes(input.organization.user("user 5")!, 0)[0]!)
    }
    t.same(voteOf([costly]), { counts: false, undecidedPolicyIds: ["costly"] })
    t.same(voteOf([costly, WAITS]), { counts: true, undecidedPolicyIds: [] })
    t.same(voteOf([{ ...WAITS, policyId: "scans", condition: scan(60, "a") }]), {
      counts: false,
      undecidedPolicyIds: ["scans"],
    })
    const { userIds, undecidedUserIds } = eligibleVoters(
      inputOf({ users: 30, policies: [costly], facts: message }),
    )
    t.same([userIds, undecidedUserIds.length], [[], 29], "and everybody may be one of its voters")
  },
)

t.test("all policies together take no more steps than one decision has", async (t) => {
  const policies = named("pairs", 100, (index) => pair(`gone ${index}`))
  const input = inputOf({ users: 300, policies })
  decide(input)
  const { approvals, searches } = input.budgets!
  t.ok(approvals.left >= 0 && approvals.left < MAX_APPROVAL_STEPS)
  t.ok(searches.left >= 0 && searches.left < MAX_SEARCH_STEPS / 2, `${searches.left} left`)
})

const sumOf = (costs: readonly number[]) => costs.reduce((sum, cost) => sum + cost, 0)

t.test(
  "tasks that fit into an equal share finish, whatever the others take and wherever they stand",
  async (t) => {
    const next = chance(20_270_102)
    for (let round = 0; round < 200; round++) {
      const costs = Array.from({ length: 1 + next(30) }, () => (next(3) === 0 ? next(3000) : next(60)))
      const unfinishedOf = (tasks: readonly number[]) => {
        const budget = new Budget(2000)
        let taken = 0
        const unfinished = runAtOnce(
          inFairShares(tasks, budget, (cost, share) => {
            const isEnough = share.left >= cost
            taken += Math.min(cost, share.left)
            share.spend(cost)
            return isEnough
          }),
        )
        t.ok(taken <= 2000 && budget.left === 2000 - taken, `${taken} steps of 2000`)
        return unfinished.toSorted((one, other) => one - other)
      }
      const unfinished = unfinishedOf(costs)
      for (let order = 0; order < 3; order++) t.same(unfinishedOf(shuffled(costs, next)), unfinished)
      t.ok(unfinished.every((cost) => cost > Math.floor(2000 / costs.length)))
      const third = costs.map((cost) => Math.floor((cost * 2000) / 3 / (sumOf(costs) + 1)))
      t.same(unfinishedOf(third), [], "all, if together they take a third of the steps")
    }
    const one = runAtOnce(inFairShares([1900], new Budget(2000), (cost, share) => share.left >= cost))
    t.same(one, [], "one task alone has all that one may have")
  },
)
