import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { canContribute } from "../../../../../signer/core/policy/decision/consensus-search.ts"
import {
  classesOf,
  classOf,
  PendingConsensus,
} from "../../../../../signer/core/policy/decision/pending-consensus.ts"
import { possibleVotes } from "../../../../../signer/core/policy/decision/credentials.ts"
import { Budget, compile, evaluate, ExpressionFault } from "../../../../../signer/core/policy/expression.ts"
import { approvalFacts } from "../../../../../signer/core/policy/facts/approvals.ts"
import type { Approval } from "../../../../../signer/core/policy/decision/decision-input.ts"
import { organizationWith, voteOf } from "./fixture.ts"

const organization = organizationWith()
const users = organization.document.users
const vote = (name: string) => voteOf(organization, name)!
const kind = (text: string, name: string) =>
  classOf(classesOf(compile(text, "consensus")), vote(name), new Budget())

/** Decides whether the vote contributes without classes: every vote is counted by itself, which is slow and exact. */
function surely(text: string, voter: Approval, cast: readonly Approval[]): string {
  const consensus = compile(text, "consensus")
  const hasVoted = new Set(cast.map(({ user }) => user.userId))
  const open = users.filter(({ userId }) => !hasVoted.has(userId)).map((user) => possibleVotes(user, 0))
  const holds = (votes: readonly Approval[]) => {
    const answer = evaluate(consensus, approvalFacts(votes), new Budget())
    return "value" in answer && answer.value
  }
  const names = new Map<Approval, string>()
  const kindOfVote = (one: Approval) => {
    if (!names.has(one)) names.set(one, `${names.size + 1}`)
    return names.get(one)!
  }
  return canContribute(
    { cast, possible: open, isMetBy: holds, classOf: kindOfVote, maxPerClass: 1, spend: () => true },
    voter,
    100_000,
  )
}

const TEXTS = [
  "approvers.count() >= 2",
  "approvers.count() == 1",
  "approvers.count() != 2",
  "approvers.count() in [2, 4]",
  "approvers.any(u, u.id == 'dan') && approvers.filter(u, u.tags.contains('admin')).count() >= 1",
  "approvers.filter(u, u.tags.contains('admin')).filter(u, u.id != 'eva').count() == 1",
  "approvers.filter(u, u.tags.contains('admin')).any(u, u.id == 'fay')",
  "approvers.all(u, u.tags.contains('admin')) && approvers.count() > 1",
  "!approvers.any(u, u.tags.contains('agent')) && approvers.count() > 2",
  "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR') && approvers.count() > 1",
  "credentials.all(c, c.type == 'CREDENTIAL_TYPE_API_KEY_P256') && approvers.count() > 1",
  "credentials.filter(c, c.type == 'CREDENTIAL_TYPE_LOGIN').count() == 2",
  "approvers.filter(u, u.tags.contains('admin')).count() > approvers.filter(u, u.tags.contains('agent')).count()",
  "approvers.any(u, ((u.id == 'ann')) || (u.id == 'ben')) || approvers.count() > 4",
  "approvers.any(u, u.tags.any(tag, tag == 'agent' || tag in ['admin'])) && approvers.count() == 3",
]

for (const text of TEXTS) {
  t.test(`${text}: kinds say what single votes say`, async (t) => {
    for (const names of [["dan"], ["eva"], ["eva:AUTHENTICATOR"], ["ann", "dan"], ["eva:LOGIN", "fay"]]) {
      const approvals = names.map(vote)
      const electorate = { organization, approvals, nowMs: 0 }
      const answers = approvals.map((one) => surely(text, one, approvals))
      const expected = answers.includes("yes") ? "yes" : "no"
      t.notOk(answers.includes("undecided"))
      const underWay = new PendingConsensus(
        compile(text, "consensus"),
        electorate,
        new Budget(),
      ).hasContributingVote()
      t.equal(underWay, expected, names.join(" and "))
    }
  })
}

t.test("the class of a vote depends only on what the consensus asks about single votes", async (t) => {
  const admins = "approvers.filter(u, u.tags.contains('admin')).count() >= 2"
  t.equal(kind(admins, "eva"), kind(admins, "fay"))
  t.not(kind(admins, "eva"), kind(admins, "dan"))
  t.equal(kind(admins, "dan"), "", "of no use")
  t.not(kind("approvers.count() > 1", "dan"), "")
})

t.test("every vote is a class of its own if a consensus compares votes", async (t) => {
  for (const text of [
    "approvers[0].id == 'dan'",
    "approvers[0..1].count() == 1",
    "approvers.filter(u, u.id != 'dan')[0].id == 'eva'",
    "approvers.filter(u, u.id != 'dan')[0..1].count() == 1",
    "approvers.count() in [2, 4]",
    "[approvers].count() == 1",
    "approvers.any(u, credentials.any(c, c.user_id == u.id))",
    "['dan'].any(id, approvers.any(u, u.id == id))",
  ]) {
    t.equal(classesOf(compile(text, "consensus")).predicates, undefined, text)
    t.not(kind(text, "eva"), kind(text, "fay"), text)
  }
})

t.test("every published consensus is read by classes", async (t) => {
  const file = join(import.meta.dirname, "../../../../vectors/policies/expressions.json")
  const entries = (
    JSON.parse(readFileSync(file, "utf8")) as { expressions: { field: string; expression: string }[] }
  ).expressions
  let read = 0
  for (const { field, expression } of entries) {
    if (field !== "consensus") continue
    try {
      t.ok(classesOf(compile(expression, "consensus")).predicates, expression)
      read += 1
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error
    }
  }
  t.ok(read > 15, `${read} expressions`)
})

t.test("a consensus has a predicate for each lambda and count of votes", async (t) => {
  const numberOf = (text: string) => classesOf(compile(text, "consensus")).predicates?.length
  t.equal(numberOf("approvers.filter(u, u.tags.contains('admin')).filter(u, u.id != 'eva').count() >= 1"), 2)
  t.equal(numberOf("approvers.count() >= 2 && credentials.all(c, c.user_id != 'dan')"), 2)
  t.equal(numberOf("['dan'].any(id, id == 'dan') && approvers.count() > 1"), 1)
  const consensus = compile("approvers.count() >= 2", "consensus")
  t.equal(classesOf(consensus), classesOf(consensus), "found once")
})

t.test("numbers in a consensus say how many votes of a class make a difference", async (t) => {
  const mostOf = (text: string) => classesOf(compile(text, "consensus")).maxPerClass
  t.equal(mostOf("approvers.any(u, u.id == '7')"), 1)
  t.equal(mostOf("approvers.any(u, u.id == '7') && approvers.count() >= 2"), 3)
  t.equal(mostOf("approvers.count() >= 5 || approvers.count() >= 2"), 6)
  t.equal(mostOf("approvers.count() >= 2 || approvers.count() >= 5"), 6)
  t.equal(mostOf("approvers.count() >= 5000"), 1001)
  t.equal(mostOf("approvers.count() > credentials.count()"), 1001)
  t.equal(mostOf("approvers[0].id == 'dan' && approvers.count() >= 5"), 1, "votes that are all different")
})

t.test("the class of a vote with several credentials looks at all of them", async (t) => {
  const user = organization.user("eva")!
  const credentials = possibleVotes(user, 0).flatMap((one) => one.credentials)
  const kindOf = (text: string) =>
    classOf(classesOf(compile(text, "consensus")), { user, credentials }, new Budget())
  t.not(kindOf("credentials.any(c, c.type == 'CREDENTIAL_TYPE_LOGIN')"), "")
  t.not(kindOf("credentials.filter(c, c.type == 'CREDENTIAL_TYPE_LOGIN').count() >= 1"), "")
  t.not(kindOf("credentials.all(c, c.type == 'CREDENTIAL_TYPE_LOGIN')"), "", "it makes the consensus false")
  t.equal(kindOf("credentials.all(c, c.user_id == 'eva')"), "")
})

t.test("a vote on which the consensus errs makes a difference", async (t) => {
  t.not(kind("approvers.any(u, u.tags[3] == 'admin')", "dan"), "")
})
