// The votes of many users in groups: without looking at each user where a consensus compares texts alone.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { possibleVotes } from "../../../../../signer/core/policy/decision/credentials.ts"
import { formulaOf } from "../../../../../signer/core/policy/decision/vote-formula.ts"
import { OutOfSteps, VoterGroups } from "../../../../../signer/core/policy/decision/voter-groups.ts"
import { Voters } from "../../../../../signer/core/policy/decision/voters.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { approvalFacts } from "../../../../../signer/core/policy/facts/approvals.ts"

const { API_KEY_P256, API_KEY_ED25519 } = CredentialType
const TAGS = ["a", "b", "c"]

/** Users of every kind: no, one or several tags; no, one or several credentials; one with a key that expired. */
function organizationOf(users: number): Organization {
  const document = create(OrganizationDocumentSchema, {
    users: Array.from({ length: users }, (_, user) => ({
      userId: `user ${user}`,
      name: `name ${user % 5}`,
      email: user % 4 === 0 ? "" : `${user}@example.com`,
      tagIds: TAGS.filter((_tag, index) => (user >> index) % 2 === 1),
      apiKeys: Array.from({ length: user % 3 }, (_key, key) => ({
        apiKeyId: `key ${user} ${key}`,
        publicKey: `02${user}${key}`,
        type: key === 0 ? API_KEY_P256 : API_KEY_ED25519,
        expiresAtMs: user % 11 === 0 ? 5n : 0n,
      })),
      authenticators: user % 6 === 0 ? [{ authenticatorId: `passkey ${user}` }] : [],
    })),
  })
  return new Organization(document, new Uint8Array(32), 0)
}

const NOW_MS = 1000
const TEXTS = [
  "approvers.any(u, u.id == 'user 7') && approvers.count() >= 2",
  "approvers.any(u, u.id == 'gone') && approvers.count() >= 2",
  "approvers.filter(u, u.tags.contains('a') || u.id in ['user 3', 'user 8', 'gone']).count() >= 2",
  "approvers.filter(u, u.tags.contains('a')).filter(u, 'b' in u.tags).any(u, u.alias == 'name 1')",
  "approvers.all(u, u.tags.all(t, t == 'b')) && approvers.count() > 1",
  "approvers.any(u, u.tags.any(t, t in ['c', 'd']) && u.email == '')",
  "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR') && approvers.count() >= 2",
  "credentials.filter(c, c.type != 'CREDENTIAL_TYPE_LOGIN').filter(c, c.id == 'key 5 1' || c.user_id == 'user 9').count() > 0",
  "credentials.any(c, c.public_key == '0270' && c.credential_id == '')",
  "approvers.any(u, u.tags.any(t, true)) && approvers.count() >= 2",
  "approvers.filter(u, u.tags.any(t, u.id != 'user 3')).count() >= 2 && approvers.all(u, u.tags.all(t, false))",
  "approvers.any(u, u.tags.count() > 1) && approvers.any(u, u.id == 'user 7')",
  "approvers.any(u, u.tags[1] == 'b') || credentials.count() >= 3",
]

for (const text of TEXTS) {
  t.test(`${text}: groups say of each user what the expression says`, async (t) => {
    const organization = organizationOf(60)
    const { users } = organization.document
    const formula = formulaOf(compile(text, "consensus"))
    const voters = new Voters(organization.document, NOW_MS)
    for (const voted of [[], ["user 0", "user 7"], ["user 1", "user 3", "user 9", "user 58"]]) {
      const groups = new VoterGroups(formula, voters, new Budget()).beside(new Set(voted))
      const expected = new Map<string, string[]>()
      for (const user of users) {
        const ways = possibleVotes(user, NOW_MS).flatMap((vote) => {
          const lengths = formula.lists.map(({ test }) => {
            if (test === undefined) return 1
            const evaluation = evaluate(test, approvalFacts([vote]), new Budget())
            return "value" in evaluation ? Number(evaluation.value) : undefined
          })
          return lengths.includes(undefined) || !lengths.includes(1) ? [] : [lengths.join()]
        })
        if (ways.length === 0 || voted.includes(user.userId)) continue
        const key = [...new Set(ways)].toSorted().join(" ")
        expected.set(key, [...(expected.get(key) ?? []), user.userId])
      }
      const found = groups.map(({ ways, size, users: all, has }) => {
        const ids = [...all()].map(({ userId }) => userId)
        t.equal(ids.length, size)
        t.same(
          users
            .filter(has)
            .map(({ userId }) => userId)
            .toSorted(),
          ids.toSorted(),
        )
        return [
          ways
            .map((way) => way.join())
            .toSorted()
            .join(" "),
          ids.toSorted(),
        ] as const
      })
      t.same(
        Object.fromEntries(found),
        Object.fromEntries([...expected].map(([key, ids]) => [key, ids.toSorted()])),
      )
    }
  })
}

/** Steps to group the users of an organization of this size. */
function stepsOf(text: string, users: number): number {
  const budget = new Budget()
  const before = budget.left
  new VoterGroups(
    formulaOf(compile(text, "consensus")),
    new Voters(organizationOf(users).document, NOW_MS),
    budget,
  ).beside(new Set(["user 0"]))
  return before - budget.left
}

t.test("steps to group the users depend on what is compared, not on how many users there are", async (t) => {
  for (const text of [0, 1, 2, 6, 7].map((index) => TEXTS[index]!))
    t.equal(stepsOf(text, 600), stepsOf(text, 120), text)
  const ofEach = TEXTS.at(-1)!
  t.ok(
    stepsOf(ofEach, 600) > 4 * stepsOf(ofEach, 120),
    "an expression that looks into texts is evaluated for each user",
  )
})

t.test("users are grouped within the budget", async (t) => {
  const budget = new Budget(20)
  const groups = new VoterGroups(
    formulaOf(compile(TEXTS[0]!, "consensus")),
    new Voters(organizationOf(9).document, 0),
    budget,
  )
  t.throws(() => groups.beside(new Set()), OutOfSteps)
})
