import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { PendingConsensus } from "../../../../../signer/core/policy/decision/pending-consensus.ts"
import { Voters } from "../../../../../signer/core/policy/decision/voters.ts"
import { possibleVotes } from "../../../../../signer/core/policy/decision/credentials.ts"
import { runAtOnce } from "../../../../../signer/core/turns/steps.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { approvalFacts } from "../../../../../signer/core/policy/facts/approvals.ts"
import type { Approval } from "../../../../../signer/core/policy/decision/decision-input.ts"

const { API_KEY_P256, API_KEY_ED25519 } = CredentialType

const key = (name: string, type: CredentialType = API_KEY_P256) => ({
  apiKeyId: `key of ${name}`,
  publicKey: `02${name}`,
  type,
})

const organization = new Organization(
  create(OrganizationDocumentSchema, {
    users: [
      { userId: "dan", name: "dan", email: "dan@a.example", tagIds: ["agent"], apiKeys: [key("dan")] },
      { userId: "eva", name: "eva", email: "eva@a.example", tagIds: ["admin"], apiKeys: [key("eva")] },
      { userId: "fay", name: "fay", email: "fay@b.example", tagIds: ["admin", "agent"] },
      { userId: "guy", name: "guy", email: "", tagIds: [], apiKeys: [key("guy", API_KEY_ED25519)] },
      { userId: "hal", name: "hal", email: "", tagIds: ["admin"], apiKeys: [key("hal", API_KEY_ED25519)] },
    ],
  }),
  new Uint8Array(32),
  0,
)

type Next = (below: number) => number

/** Small numbers, the same in every run. */
function chance(seed: number): Next {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const pick = <T>(next: Next, all: readonly T[]): T => all[next(all.length)]!

const OF_A_USER = [
  "u.id == 'dan'",
  "u.id == 'eva'",
  "u.tags.contains('admin')",
  "'agent' in u.tags",
  "u.tags.any(t, t == 'agent' || t == 'other')",
  "u.tags.all(t, t == 'admin')",
  "u.tags.any(t, true)",
  "u.tags.all(t, u.id == 'eva')",
  "u.tags[0] == 'admin'",
  "u.tags.count() > 1",
  "u.alias == 'guy'",
  "u.email[0] == 'e'",
]

const OF_A_CREDENTIAL = [
  "c.type == 'CREDENTIAL_TYPE_API_KEY_P256'",
  "c.type == 'CREDENTIAL_TYPE_LOGIN'",
  "c.user_id != 'dan'",
  "c.id == 'key of hal'",
]

const OF_VOTES_TOGETHER = [
  "approvers[1].id == 'fay'",
  "approvers[0..2].any(u, u.id == 'eva')",
  "approvers.filter(u, u.tags.contains('admin'))[0].id == 'hal'",
  "approvers.any(u, credentials.any(c, c.user_id == u.id && c.type == 'CREDENTIAL_TYPE_LOGIN'))",
  "approvers.count() == credentials.filter(c, c.user_id != 'guy').count()",
]

function predicate(next: Next, simple: readonly string[], depth = 2): string {
  if (depth === 0 || next(2) === 0) return pick(next, simple)
  const [one, other] = [predicate(next, simple, depth - 1), predicate(next, simple, depth - 1)]
  return pick(next, [`!(${one})`, `(${one} && ${other})`, `(${one} || ${other})`])
}

function votes(next: Next): [list: string, variable: string, simple: readonly string[]] {
  const [root, variable, simple] = pick(next, [
    ["approvers", "u", OF_A_USER],
    ["credentials", "c", OF_A_CREDENTIAL],
  ] as const)
  const filters = Array.from({ length: pick(next, [0, 0, 1, 2]) }, () => predicate(next, simple))
  return [root + filters.map((one) => `.filter(${variable}, ${one})`).join(""), variable, simple]
}

function clause(next: Next): string {
  if (next(8) === 0) return pick(next, OF_VOTES_TOGETHER)
  const [list, variable, simple] = votes(next)
  const operator = pick(next, ["==", "!=", "<", ">", "<=", ">="])
  return pick(next, [
    `${list}.count() ${operator} ${next(4)}`,
    `${list}.any(${variable}, ${predicate(next, simple)})`,
    `${list}.all(${variable}, ${predicate(next, simple)})`,
  ])
}

function consensus(next: Next, depth = 2): string {
  if (depth === 0 || next(4) === 0) return clause(next)
  const [one, other] = [consensus(next, depth - 1), consensus(next, depth - 1)]
  return pick(next, [`(${one} && ${other})`, `(${one} && ${other})`, `(${one} || ${other})`, `!(${one})`])
}

/** Every set of votes that could still be cast, one of each user. */
function sets(open: readonly (readonly Approval[])[]): Approval[][] {
  const [own, ...rest] = open
  if (own === undefined) return [[]]
  return sets(rest).flatMap((others) => [others, ...own.map((vote) => [vote, ...others])])
}

/** A random consensus with votes cast, and the definition of a contribution to it, word for word. */
function question(next: Next) {
  const text = consensus(next)
  const compiled = compile(text, "consensus")
  const { users } = organization.document
  const cast = users.slice(0, 1 + next(2)).map((user) => castVote(next, possibleVotes(user, 0)))
  const holds = (all: readonly Approval[]) => {
    const answer = evaluate(compiled, approvalFacts(all), new Budget())
    return "value" in answer && answer.value
  }
  const contributes = (own: Approval, all: readonly Approval[]) => {
    const open = users.filter((user) => !all.some((vote) => vote.user === user))
    return sets(open.map((user) => possibleVotes(user, 0))).some((added) => {
      const votes = [...all, ...added]
      return holds(votes) && !holds(votes.filter((vote) => vote !== own))
    })
  }
  const pending = () =>
    new PendingConsensus(compiled, cast, new Voters(organization.document, 0), new Budget())
  return { text, cast, holds, contributes, pending }
}

/** A vote by one credential, or by all of the user's. */
function castVote(next: Next, votes: readonly Approval[]): Approval {
  const one = pick(next, votes)
  const all = { user: one.user, credentials: votes.flatMap(({ credentials }) => credentials) }
  return next(5) === 0 ? all : one
}

t.test("a consensus has a contributing vote exactly where the definition says it does", async (t) => {
  const next = chance(20_261_122)
  const tally = { yes: 0, no: 0, undecided: 0 }
  for (let round = 0; round < 1000; round++) {
    const { text, cast, contributes, pending } = question(next)
    const expected = cast.some((own) => contributes(own, cast))
    const answer = pending().hasContributingVote()
    tally[answer] += 1
    if (answer !== (expected ? "yes" : "no")) t.fail(`${text}: ${answer}`)
  }
  t.ok(tally.yes > 200 && tally.no > 200, JSON.stringify(tally))
})

t.test(
  "a further vote contributes, and its user is found, exactly where the definition says so",
  async (t) => {
    const next = chance(20_261_123)
    const tally = { yes: 0, no: 0, undecided: 0 }
    for (let round = 0; round < 300; round++) {
      const { text, cast, holds, contributes, pending } = question(next)
      const earlier = holds(cast) ? [] : cast
      const expected = new Set<string>()
      for (const user of organization.document.users) {
        if (cast.some((vote) => vote.user === user)) continue
        for (const vote of possibleVotes(user, 0)) {
          const answer = pending().wouldContribute(vote)
          tally[answer] += 1
          const isRight = answer === (contributes(vote, [...earlier, vote]) ? "yes" : "no")
          if (!isRight) t.fail(`${text}: ${user.userId}: ${answer}`)
          if (answer === "yes") expected.add(user.userId)
        }
      }
      const found: string[] = []
      const open = new Set(
        organization.document.users.filter((user) => !cast.some((vote) => vote.user === user)),
      )
      const result = runAtOnce(pending().findContributors(open, ({ userId }) => found.push(userId)))
      if (result === "undecided" || found.toSorted().join() !== [...expected].toSorted().join())
        t.fail(`${text}: ${found.join()}, expected ${[...expected].join()}`)
    }
    t.ok(tally.yes > 100 && tally.no > 100, JSON.stringify(tally))
  },
)
