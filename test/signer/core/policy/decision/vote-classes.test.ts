// What searches of one decision share: the classes of votes, and the possible votes in groups.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { possibleVotes } from "../../../../../signer/core/policy/decision/credentials.ts"
import type { Approval } from "../../../../../signer/core/policy/decision/decision-input.ts"
import {
  classesOf,
  classOf,
  type KnownVoteClasses,
  PendingConsensus,
} from "../../../../../signer/core/policy/decision/pending-consensus.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { approvalFacts } from "../../../../../signer/core/policy/facts/approvals.ts"

const document = create(OrganizationDocumentSchema, {
  users: ["dan", "eva", "fay"].map((userId) => ({
    userId,
    apiKeys: [{ apiKeyId: userId, publicKey: `02${userId}`, type: CredentialType.API_KEY_P256 }],
  })),
})
const organization = new Organization(document, new Uint8Array(32), 0)
const voteOf = (userId: string): Approval => possibleVotes(organization.user(userId)!, 0)[0]!

/** A consensus on dan's vote. */
function pendingOf(text: string, known: KnownVoteClasses = new Map(), budget = new Budget()) {
  const input = { organization, approvals: [voteOf("dan")], nowMs: 0 }
  return new PendingConsensus(compile(text, "consensus"), input, budget, known)
}

t.test("consensus expressions share their classes where they ask the same of single votes", async (t) => {
  const IS_DAN = "approvers.any(u, u.id == 'dan')"
  const known: KnownVoteClasses = new Map()
  const groups = [
    [IS_DAN, `!(${IS_DAN})`, "approvers.filter(u, u.id == 'dan').count() == 1"],
    ["approvers.any(u, u.id == 'eva')"],
    ["approvers.all(u, u.id == 'dan')"],
    ["credentials.any(u, u.id == 'dan')"],
    ["approvers.count() >= 2", "approvers.count() == 7"],
    [`approvers.count() >= 2 && ${IS_DAN}`, `approvers.count() != 12 || ${IS_DAN}`],
    ["approvers[0].id == 'dan'", "approvers[1].id == 'eva'"],
  ]
  const classes = groups.map((texts) => new Set(texts.map((text) => pendingOf(text, known).classes)))
  for (const [index, own] of classes.entries()) t.equal(own.size, 1, groups[index]!.join())
  t.equal(new Set(classes.flatMap((own) => [...own])).size, groups.length)
  t.not(pendingOf(IS_DAN).classes, pendingOf(IS_DAN).classes, "of one decision only")
})

t.test("the possible votes are grouped anew for other votes cast", async (t) => {
  const all = ["dan", "eva", "fay"].map((id) => `approvers.any(u, u.id == '${id}')`)
  const pending = pendingOf(all.join(" && "))
  t.ok(pending.wouldContribute(voteOf("eva")), "with fay's")
  t.ok(pending.wouldContribute(voteOf("fay")), "with eva's")
})

t.test("the possible votes are grouped once for the searches of one decision", async (t) => {
  const known: KnownVoteClasses = new Map()
  const budget = new Budget()
  const stepsOfSearch = () => {
    const before = budget.left
    t.equal(pendingOf("approvers.count() >= 1", known, budget).hasContributingVote(), "yes")
    return before - budget.left
  }
  // eva and fay have an API key and a session each.
  t.equal(stepsOfSearch() - stepsOfSearch(), 2 * (1 + 2))
})

t.test("without steps left no vote counts, though one of its class did before", async (t) => {
  const budget = new Budget()
  const pending = pendingOf("approvers.count() >= 2", new Map(), budget)
  t.ok(pending.wouldContribute(voteOf("eva")))
  budget.spend(budget.left)
  t.notOk(pending.wouldContribute(voteOf("eva")))
})

t.test("a search looks at no further user once its steps are used up", async (t) => {
  let seen = 0
  const users = new Proxy(document.users, {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) seen += 1
      return Reflect.get(target, name)
    },
  })
  const observed = { document: { ...document, users } } as Organization
  const input = { organization: observed, approvals: [voteOf("dan")], nowMs: 0 }
  const usersSeen = (steps: number) => {
    seen = 0
    const consensus = compile("approvers.count() >= 1", "consensus")
    t.equal(new PendingConsensus(consensus, input, new Budget(steps)).hasContributingVote(), "undecided")
    return seen
  }
  t.equal(usersSeen(3), 2, "dan, who has voted, and eva")
  t.equal(usersSeen(4), 3)
})

t.test("the class of a vote costs the steps of the predicate's own text", async (t) => {
  const stepsOf = (run: (budget: Budget) => unknown) => {
    const budget = new Budget()
    const before = budget.left
    run(budget)
    return before - budget.left
  }
  const body = "u.id == 'dan' || u.id == 'eva' || u.alias == 'fay'"
  const alone = compile(`approvers.any(u, ${body})`, "consensus")
  const classes = classesOf(
    compile(`approvers.filter(u, u.id != 'x').filter(u, ${body}).count() > 2`, "consensus"),
  )
  const { predicates } = classes
  for (const vote of [voteOf("dan"), voteOf("fay")])
    t.equal(
      stepsOf((budget) => classOf({ ...classes, predicates: predicates!.slice(0, 1) }, vote, budget)),
      stepsOf((budget) => evaluate(alone, approvalFacts([vote]), budget)),
    )
})
