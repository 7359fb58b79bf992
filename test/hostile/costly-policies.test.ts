import { create } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { CredentialType, Effect, Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { MAX_POLICIES, MAX_POLICY_BYTES, MAX_USERS } from "../../signer/enclave/organization/limits.ts"
import { Organization } from "../../signer/core/organization/organization.ts"
import { policiesOf } from "../../signer/core/policy/decision/policy-set.ts"
import { possibleVotes } from "../../signer/core/policy/decision/credentials.ts"
import { decide } from "../../signer/core/policy/decision/decide.ts"
import type { DecisionInput } from "../../signer/core/policy/decision/decision-input.ts"
import { eligibleVoterIds } from "../../signer/core/policy/decision/policy-evaluator.ts"

/** The largest organization, with the maximum number of policies, each with a consensus. */
function largest(consensus: (index: number) => string): DecisionInput {
  const keys = (user: number) =>
    Array.from({ length: 10 }, (_, key) => ({
      apiKeyId: `${user}/${key}`,
      publicKey: `${user}/${key}`,
      type: CredentialType.API_KEY_P256,
    }))
  const document = create(OrganizationDocumentSchema, {
    users: Array.from({ length: MAX_USERS }, (_, user) => ({
      userId: `user ${user}`,
      tagIds: [`tag ${user % 7}`],
      apiKeys: keys(user),
    })),
    policies: Array.from({ length: MAX_POLICIES }, (_, index) => ({
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
    approvals: [possibleVotes(organization.user("user 0")!)[0]!],
    facts: [() => undefined],
    nowMs: 0,
  }
}

// Without a bound this test would not end.
t.test(
  "A5: a hundred consensus expressions that distinguish every voter delay no other request",
  async (t) => {
    const all = Array.from({ length: 7 }, (_, tag) => `approvers.any(u, u.tags.contains('tag ${tag}'))`)
    const costly: { [what: string]: (index: number) => string } = {
      "by their place": (index) => `approvers[1].id == 'nobody ${index}'`,
      "by a place of which there is none": (index) => `approvers[500].id == 'nobody ${index}'`,
      "by tags, with somebody who is not there": (index) =>
        `${all.join(" && ")} && approvers.any(u, u.id == 'nobody ${index}')`,
      "by credentials of credentials": (index) =>
        `approvers.all(u, credentials.any(c, c.user_id == u.id && c.id == 'nobody ${index}'))`,
    }
    for (const [what, consensus] of Object.entries(costly)) {
      const question = largest(consensus)
      const { outcome, policyOutcomes } = decide(question)
      t.equal(outcome, "deny", what)
      t.equal(
        policyOutcomes.at(-1)?.outcome,
        Outcome.ERROR,
        "the last ones are given up: the steps are used up",
      )
      t.same(eligibleVoterIds(question), [])
    }
  },
)

/** An organization with policies of the maximum total length, all distinct. */
function brimful(name: string): Organization {
  const length = Math.floor(MAX_POLICY_BYTES / MAX_POLICIES / 2)
  const clause = `activity.type != '${name}' || `
  const condition = `${clause.repeat(Math.floor((length - 5) / clause.length))}true`
  const policies = Array.from({ length: MAX_POLICIES }, (_, index) => ({
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
