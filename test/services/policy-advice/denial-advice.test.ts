import t, { type Test } from "tap"
import { Outcome } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type DenialAdvice, denialAdvice } from "../../../services/policy-advice/denial-advice.ts"
import { decide } from "../../../signer/core/policy/decision/decide.ts"
import { allow, decisionInput, type DecisionSetup, deny } from "../../signer/core/policy/decision/fixture.ts"

/** The advice on a request that the signer's own procedure denies. */
function adviceOn(t: Test, setup: DecisionSetup): DenialAdvice {
  const input = decisionInput(setup)
  const { outcome, policyOutcomes: outcomes } = decide(input)
  t.equal(outcome, "deny")
  const { activity, parameters, submitterId: userId, organization } = input
  return denialAdvice({ activity, parameters, userId, outcomes, policies: organization.document.policies })
}

t.test("the suggested policy allows the request by the signer's procedure", async (t) => {
  for (const type of ["SIGN_RAW_PAYLOAD_V2", "CREATE_WALLET", "DELETE_POLICY", "IMPORT_SECRETS"]) {
    const setup: DecisionSetup = { type, approvers: ["dan"], policies: [allow({ condition: "false" })] }
    const { condition, consensus } = adviceOn(t, setup)
    const policies = [allow({ condition, consensus })]
    t.equal(decide(decisionInput({ ...setup, policies })).outcome, "allow", type)
    t.equal(
      decide(decisionInput({ ...setup, policies, approvers: ["eva"] })).outcome,
      "deny",
      "no other user",
    )
  }
})

t.test("policies that forbid the request come first, and no policy is suggested against them", async (t) => {
  const policies = [
    allow({ name: "never", condition: "false" }),
    deny({ name: "unrelated", condition: "activity.action == 'EXPORT'" }),
    allow({ name: "other chain", condition: "eth.tx.value > 1" }),
    allow({ name: "weekend", time: "CronSpan('0 0 * * 6', '1h', 'UTC')" }),
    deny({ name: "nobody signs", condition: "activity.action == 'SIGN'" }),
  ]
  const advice = adviceOn(t, { approvers: ["dan"], policies })
  t.strictSame(advice.policies, [
    { policyId: "p5", policyName: "nobody signs", reason: "it forbids this request" },
    { policyId: "p3", policyName: "other chain", reason: "it cannot be evaluated for this request" },
    { policyId: "p4", policyName: "weekend", reason: "its time expression does not hold now" },
    {
      policyId: "p1",
      policyName: "never",
      reason: "its condition or its consensus does not match this request",
    },
  ])
  t.match(advice.suggestions, [/update_policy/, /root quorum submit it/])
  t.equal(advice.condition, "")
})

t.test("a login that a policy forbids is not advised to be submitted by a root user", async (t) => {
  const policies = [deny({ condition: "activity.type == 'ACTIVITY_TYPE_STAMP_LOGIN'" })]
  const { suggestions } = adviceOn(t, { type: "STAMP_LOGIN", approvers: ["ann"], policies })
  t.equal(suggestions.length, 1)
})

t.test("where no policy can allow a request, the advice says who can send it", async (t) => {
  const quorum = adviceOn(t, { type: "UPDATE_ROOT_QUORUM", approvers: ["dan"], policies: [allow()] })
  t.match(quorum, { suggestions: [/^have a member of the root quorum submit it: no policy/] })
  const parameters = { userId: "eva" }
  const imported = adviceOn(t, { type: "IMPORT_WALLET", approvers: ["dan"], policies: [allow()], parameters })
  t.match(imported, { suggestions: [/^set parameters\.userId to dan: /] })
  for (const { condition } of [quorum, imported]) t.equal(condition, "")
})

t.test("at most 20 policies are named, and none whose names the caller may not see", async (t) => {
  const policies = Array.from({ length: 25 }, (_, index) =>
    allow({ name: `policy ${index}`, condition: "false" }),
  )
  const { policies: shown } = adviceOn(t, { approvers: ["dan"], policies })
  t.equal(shown.length, 20)
  const { activity } = decisionInput({ approvers: ["dan"] })
  const outcomes = [{ policyId: "p1", outcome: Outcome.DENY_EXPLICIT }]
  const request = { activity, parameters: {}, userId: "dan", outcomes, policies: [] }
  const { policies: named, suggestions } = denialAdvice(request)
  t.strictSame(named, [])
  t.match(suggestions, [/change the policies/, /root quorum/])
})
