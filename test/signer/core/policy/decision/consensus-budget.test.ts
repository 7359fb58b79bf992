// The results and costs of searches for votes that contribute to a consensus.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import type { Approval } from "../../../../../signer/core/policy/decision/decision-input.ts"
import { possibleVotes } from "../../../../../signer/core/policy/decision/credentials.ts"
import { PendingConsensus } from "../../../../../signer/core/policy/decision/pending-consensus.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { approvalFacts } from "../../../../../signer/core/policy/facts/approvals.ts"

/** Users with an API key and one tag each. */
function organizationOf(users: readonly (readonly [name: string, tag: string])[]): Organization {
  const document = create(OrganizationDocumentSchema, {
    users: users.map(([name, tag]) => ({
      userId: name,
      name,
      tagIds: [tag],
      apiKeys: [{ apiKeyId: `key of ${name}`, publicKey: `02${name}`, type: CredentialType.API_KEY_P256 }],
    })),
  })
  return new Organization(document, new Uint8Array(32), 0)
}

const three = organizationOf([
  ["dan", "agent"],
  ["eva", "admin"],
  ["fay", "admin"],
])

const voteOf = (organization: Organization, name: string): Approval =>
  possibleVotes(organization.user(name)!, 0)[0]!

function pendingOf(text: string, cast: readonly string[], budget = new Budget(), organization = three) {
  const approvals = cast.map((name) => voteOf(organization, name))
  return new PendingConsensus(compile(text, "consensus"), { organization, approvals, nowMs: 0 }, budget)
}

/** Steps of evaluating a consensus on these votes, with the lists that are made for it. */
function evaluationSteps(text: string, votes: readonly Approval[]): number {
  const budget = new Budget()
  const before = budget.left
  evaluate(compile(text, "consensus"), approvalFacts(votes), budget)
  return votes.length + before - budget.left
}

t.test("a vote contributes beside the votes cast or, if they suffice, beside any others", async (t) => {
  const two = "approvers.count() >= 2"
  const rows: [text: string, cast: string[], contributes: boolean][] = [
    [two, ["dan"], true],
    [two, ["dan", "eva"], true],
    ["approvers.count() >= 1", ["dan"], true],
    ["approvers.count() >= 4", ["dan"], false],
    ["approvers.filter(u, u.tags.contains('agent')).count() >= 1", ["dan"], false],
    ["approvers.filter(u, u.tags.contains('admin')).count() >= 1", ["dan"], true],
  ]
  for (const [text, cast, contributes] of rows)
    t.equal(
      pendingOf(text, cast).wouldContribute(voteOf(three, "fay")),
      contributes,
      `${text}, ${cast.join()}`,
    )
})

t.test("a further vote of the same class costs the steps of its class alone", async (t) => {
  const budget = new Budget()
  const text = "approvers.filter(u, u.tags.contains('admin')).count() >= 1"
  const pending = pendingOf(text, ["dan"], budget)
  const [eva, fay] = [voteOf(three, "eva"), voteOf(three, "fay")]
  t.ok(pending.wouldContribute(fay))
  const afterFirst = budget.left
  t.ok(pending.wouldContribute(fay))
  t.equal(budget.left, afterFirst, "the same vote")
  t.ok(pending.wouldContribute(eva))
  t.ok(afterFirst - budget.left < evaluationSteps(text, [eva]) + 10, "no search")
})

t.test(
  "a search costs a step for each possible vote, and each combination its votes and evaluations",
  async (t) => {
    const text = "approvers.count() >= 1"
    const dan = voteOf(three, "dan")
    // eva and fay have an API key and a session each, in one class: the first combination is that of no further vote.
    const users = 2 * (1 + 2)
    const combination = 1 + 1 + 1
    const steps = users + combination + evaluationSteps(text, [dan]) + evaluationSteps(text, [])
    const resultWith = (left: number) => {
      const budget = new Budget(left)
      return [pendingOf(text, ["dan"], budget).hasContributingVote(), budget.left]
    }
    t.same(resultWith(steps + 5), ["yes", 5])
    t.same(resultWith(steps), ["yes", 0])
    t.same(resultWith(steps - evaluationSteps(text, []) - 1), ["undecided", 0])
  },
)

t.test("a search without steps left is undecided, and no vote counts by it", async (t) => {
  const text = "approvers.count() >= 1"
  const alone = organizationOf([["dan", "agent"]])
  for (const steps of [0, 1, 3]) {
    t.equal(pendingOf(text, ["dan"], new Budget(steps), alone).hasContributingVote(), "undecided", `${steps}`)
    t.notOk(pendingOf(text, [], new Budget(steps), alone).wouldContribute(voteOf(alone, "dan")), `${steps}`)
  }
})

t.test("a result is undecided if that of any vote is, and none contributes", async (t) => {
  const names = Array.from({ length: 10 }, (_, index) => `admin ${index}`)
  const many = organizationOf([["dan", "agent"], ...names.map((name) => [name, "admin"] as const)])
  const each = names.map((name) => `approvers.any(u, u.id == '${name}')`)
  const text = `${each.join(" && ")} && approvers.filter(u, u.tags.contains('admin')).count() >= 900`
  const resultOf = (...cast: string[]) =>
    pendingOf(text, cast, new Budget(100_000_000), many).hasContributingVote()
  t.equal(resultOf("dan"), "no", "the vote of a user whom the consensus does not name")
  t.equal(resultOf("admin 0"), "undecided")
  t.equal(resultOf("admin 0", "dan"), "undecided")
})
