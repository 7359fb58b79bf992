import { NO_INTERFACES } from "../../signer/core/contract-interface/interfaces.ts"
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import {
  CredentialType,
  Effect,
  Outcome,
  PayloadEncoding,
} from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { DEFAULT_LIMITS, MAX_POLICY_BYTES } from "../../signer/enclave/organization/limits.ts"
import { Organization } from "../../signer/core/organization/organization.ts"
import { policiesOf } from "../../signer/core/policy/decision/policy-set.ts"
import { possibleVotes } from "../../signer/core/policy/decision/credentials.ts"
import { decide } from "../../signer/core/policy/decision/decide.ts"
import { type DecisionInput, newBudgets } from "../../signer/core/policy/decision/decision-input.ts"
import { factsOf } from "../../signer/core/policy/facts/index.ts"
import { RequestFacts } from "../../signer/core/policy/facts/request-facts.ts"
import { eligibleVoters } from "../../signer/core/policy/decision/eligible-votes.ts"
import { casesOf } from "../harness/long.ts"

/** The largest organization, with the maximum number of policies, each with a consensus. */
function largest(consensus: (index: number) => string): DecisionInput {
  const keys = (user: number) =>
    Array.from({ length: 10 }, (_, key) => ({
      apiKeyId: `${user}/${key}`,
      publicKey: `${user}/${key}`,
      type: CredentialType.API_KEY_P256,
    }))
  const document = create(OrganizationDocumentSchema, {
    users: Array.from({ length: DEFAULT_LIMITS.users }, (_, user) => ({
      userId: `user ${user}`,
      tagIds: [`tag ${user % 7}`],
      apiKeys: keys(user),
    })),
    policies: Array.from({ length: DEFAULT_LIMITS.policies }, (_, index) => ({
      policyId: `policy ${index}`,
      effect: Effect.ALLOW,
      consensus: consensus(index),
    })),
  })
  const organization = new Organization(document, new Uint8Array(32), 0)
  return {
    organization,
    activity: activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")!,
    parameters: {},
    submitterId: "user 0",
    approvals: [possibleVotes(organization.user("user 0")!, 0)[0]!],
    facts: new RequestFacts([() => undefined]),
    nowMs: 0,
  }
}

t.test("B6: policies that ask for numbers of approvers look at each user once", async (t) => {
  const question = largest((index) => `approvers.count() >= 2 && ${index} >= 0`)
  const { users } = question.organization.document
  let looked = 0
  function* watched() {
    for (let index = 0; index < users.length; index++) {
      looked += 1
      yield users[index]
    }
  }
  Object.defineProperty(users, Symbol.iterator, { value: watched })
  const { outcome, policyOutcomes } = decide(question)
  t.equal(outcome, "consensus")
  t.ok(
    policyOutcomes.every((policy) => policy.outcome === Outcome.REQUIRES_CONSENSUS),
    "each of a thousand policies has its outcome",
  )
  t.equal(looked, users.length)
  looked = 0
  t.equal(eligibleVoters(question).userIds.length, users.length - 1)
  t.ok(looked <= 3 * users.length, `${looked} users to find those who may vote`)
})

t.test("B6: conditions on single votes are compiled with the policies, not by a decision", async (t) => {
  const question = largest((index) => `approvers.any(u, u.id == 'compiled ${index}')`)
  let read = 0
  for (const { consensus } of policiesOf(question.organization).policies) {
    if (typeof consensus === "string") throw new Error("a consensus was not compiled")
    const { text } = consensus
    Object.defineProperty(consensus, "text", { get: () => ((read += 1), text) })
  }
  decide(question)
  t.equal(read, 0)
})

// Without a bound this test would not end.
t.test(
  "B6: a thousand consensus expressions that distinguish every voter delay no other request",
  async (t) => {
    const all = Array.from({ length: 7 }, (_, tag) => `approvers.any(u, u.tags.contains('tag ${tag}'))`)
    const costly: { [what: string]: [outcome: string, consensus: (index: number) => string] } = {
      "by their place": ["deny", (index) => `approvers[1].id == 'nobody ${index}'`],
      "by a place of which there is none": ["deny", (index) => `approvers[500].id == 'nobody ${index}'`],
      "by tags, with somebody who is not there": [
        "undecided",
        (index) => `${all.join(" && ")} && approvers.any(u, u.id == 'nobody ${index}')`,
      ],
      "by credentials of credentials": [
        "undecided",
        (index) => `approvers.all(u, credentials.any(c, c.user_id == u.id && c.id == 'nobody ${index}'))`,
      ],
    }
    for (const [what, [expected, consensus]] of casesOf(3, Object.entries(costly))) {
      const question = { ...largest(consensus), budgets: newBudgets() }
      const { outcome, policyOutcomes } = decide(question)
      t.equal(outcome, expected, what)
      t.ok(
        policyOutcomes.every((policy) => policy.outcome === Outcome.ERROR),
        "all are given up alike: none gets more steps than another",
      )
      t.ok(question.budgets.searches.left >= 0, "within the steps of one decision")
      t.same(eligibleVoters(question).userIds, [])
    }
  },
)

/** An organization with policies of the maximum total length, all distinct. */
function brimful(name: string): Organization {
  const length = Math.floor(MAX_POLICY_BYTES / DEFAULT_LIMITS.policies / 2)
  const clause = `activity.type != '${name}' || `
  const condition = `${clause.repeat(Math.floor((length - 5) / clause.length))}true`
  const policies = Array.from({ length: DEFAULT_LIMITS.policies }, (_, index) => ({
    effect: Effect.ALLOW,
    condition: `${condition} == (${index} == ${index})`,
  }))
  return new Organization(create(OrganizationDocumentSchema, { policies }), new Uint8Array(32), 0)
}

t.test("B3: the cache of parsed policies evicts organizations beyond its bound", async (t) => {
  const organizations = Array.from({ length: 30 }, (_, index) => brimful(`organization ${index}`))
  const [first, second] = [organizations[0]!, organizations[1]!]
  const once = policiesOf(first)
  t.equal(policiesOf(first), once, "kept while there is room")
  const sameText = new Organization(first.document, new Uint8Array(32), 0)
  t.equal(
    policiesOf(sameText).policies[0]?.condition,
    once.policies[0]?.condition,
    "a version is like the last",
  )
  for (const organization of organizations) policiesOf(organization)
  t.not(policiesOf(first), once, "others took its place")
  t.same(policiesOf(second).roots, new Set(["activity"]), "and it is only read again")
})

/** An order to sign typed data with one text, under policies with these conditions. */
function signing(text: string, conditions: readonly string[]): DecisionInput {
  const payload = JSON.stringify({
    types: { EIP712Domain: [], Note: [{ name: "text", type: "string" }] },
    primaryType: "Note",
    domain: {},
    message: { text },
  })
  const policies = conditions.map((condition, index) => ({
    policyId: `policy ${index}`,
    effect: Effect.ALLOW,
    condition,
  }))
  const input = largest(() => "false")
  const document = {
    ...input.organization.document,
    policies: create(OrganizationDocumentSchema, { policies }).policies,
  }
  const organization = new Organization(document, new Uint8Array(32), 0)
  const parameters: DecisionInput["parameters"] & { [name: string]: unknown } = {
    encoding: PayloadEncoding.EIP712,
    payload,
  }
  const facts = factsOf(
    { activity: input.activity, parameters, holdings: () => ({}), interfaces: NO_INTERFACES },
    policiesOf(organization).roots,
  )
  return { ...input, organization, parameters, facts: new RequestFacts(facts) }
}

const TEXT = "eth.eip_712.message['text']"
const LARGE = "\u00e9\u20ac".repeat(225_000)

// Text of two-byte characters is what an index had to scan: 0.9 MB of it, a hundred thousand times in one order.
t.test(
  "B6: policies on 0.9 MB of text are charged for what they scan, and stop at the order's budget",
  async (t) => {
    const scans: { [what: string]: (index: number) => string } = {
      "an index": (index) => `${TEXT}[4${index}000] == '${index}'`,
      "a slice": (index) => `${TEXT}[4${index}000..4${index}001] == '${index}'`,
      "a folded text": (index) => `CaseInsensitiveString(${TEXT}) == '${index}'`,
      "a literal list": (index) => `CaseInsensitiveString(${TEXT}) in ['a', '${index}']`,
      "a list of the text": (index) => `[${TEXT}].contains(${TEXT}) && ${index} == 0`,
    }
    for (const [what, scan] of casesOf(3, Object.entries(scans))) {
      const conditions = Array.from({ length: 8 }, (_, index) =>
        Array.from({ length: 100 }, () => scan(index)).join(" || "),
      )
      const small = signing("\u00e9\u20ac", conditions)
      const large = signing(LARGE, conditions)
      decide(small)
      decide(large)
      t.ok(small.facts.policies.budget.left > 0, `${what}: a small text leaves steps`)
      t.equal(large.facts.policies.budget.left, 0, `${what}: a large one uses up the steps of the order`)
    }
  },
)

t.test("B6: an index near the start of 0.9 MB of text costs as much as in a small one", async (t) => {
  const conditions = [`${TEXT}[0] == 'a' || ${TEXT}[0..10] == 'a'`]
  const [small, large] = [signing("\u00e9\u20ac".repeat(5), conditions), signing(LARGE, conditions)]
  decide(small)
  decide(large)
  t.equal(large.facts.policies.budget.left, small.facts.policies.budget.left)
})

t.test(
  "B6: conditions are evaluated once for an order, however many decisions and votes read them",
  async (t) => {
    const input = signing(LARGE, [`CaseInsensitiveString(${TEXT}) == 'a'`])
    decide(input)
    const { left } = input.facts.policies.budget
    decide(input)
    eligibleVoters(input)
    t.equal(input.facts.policies.budget.left, left)
  },
)
