import t from "tap"
import { Outcome } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { allow, type DecisionSetup, decisionInput, deny, outcomeNames } from "./fixture.ts"

const ABSENT = "eth.tx.value > 5"
const ADMIN = "approvers.filter(u, u.tags.contains('admin')).count() >= 1"

type Row = [title: string, ask: DecisionSetup, outcome: string, policies: string[]]

// Strict: a DENY that errs denies, unless what it reads is no part of the activity.

const MESSAGE = JSON.stringify({
  types: { Permit: [{ name: "value", type: "string" }] },
  primaryType: "Permit",
  domain: { name: "Coin" },
  message: { value: "1000" },
})
const permit = { encoding: 3, payload: MESSAGE }
const TEXT_AS_NUMBER = "eth.eip_712.message['value'] > 5"

const STRICT: readonly Row[] = [
  [
    "a DENY that errs on what is there denies",
    { policies: [allow(), deny({ condition: TEXT_AS_NUMBER })], parameters: permit, approvers: ["dan"] },
    "deny",
    ["ALLOW", "ERROR"],
  ],
  [
    "a DENY on what is not there is passed over",
    { policies: [allow(), deny({ condition: ABSENT })], approvers: ["dan"] },
    "allow",
    ["ALLOW", "ERROR"],
  ],
  [
    "a DENY that errs for somebody else is passed over",
    {
      policies: [allow(), deny({ condition: TEXT_AS_NUMBER, consensus: ADMIN })],
      parameters: permit,
      approvers: ["dan"],
    },
    "allow",
    ["ALLOW", "ERROR"],
  ],
  [
    "a DENY that this release cannot read denies",
    { policies: [allow(), deny({ condition: "nothing like it" })], approvers: ["dan"] },
    "deny",
    ["ALLOW", "ERROR"],
  ],
  [
    "an ALLOW that errs allows nothing new",
    { policies: [allow({ condition: TEXT_AS_NUMBER })], parameters: permit, approvers: ["dan"] },
    "deny",
    ["ERROR"],
  ],
  [
    "an ALLOW that errs does not deny what another allows",
    {
      policies: [allow(), allow({ condition: TEXT_AS_NUMBER })],
      parameters: permit,
      approvers: ["dan"],
    },
    "allow",
    ["ALLOW", "ERROR"],
  ],
]

for (const [title, question, outcome, policies] of STRICT) {
  t.test(`strict: ${title}`, async (t) => {
    const decision = decide(decisionInput({ ...question, isStrict: true }))
    t.same(outcomeNames(decision), policies)
    t.equal(decision.outcome, outcome)
  })
}

t.test("without FEATURE_NAME_STRICT_DENY a DENY in error is passed over", async (t) => {
  const policies = [allow(), deny({ condition: TEXT_AS_NUMBER })]
  t.equal(decide(decisionInput({ policies, parameters: permit, approvers: ["dan"] })).outcome, "allow")
})

t.test("a DENY that the request makes too costly to evaluate denies", async (t) => {
  const items = Array.from({ length: 60_000 }, (_, index) => index)
  const payload = JSON.stringify({
    types: { Basket: [{ name: "items", type: "uint256[]" }] },
    primaryType: "Basket",
    domain: {},
    message: { items },
  })
  const policies = [allow(), deny({ condition: "eth.eip_712.message['items'].any(i, i == 70000)" })]
  const decision = decide(
    decisionInput({ policies, parameters: { encoding: 3, payload }, approvers: ["dan"] }),
  )
  t.same(decision.policyOutcomes, [
    { policyId: "p1", outcome: Outcome.ALLOW },
    { policyId: "p2", outcome: Outcome.ERROR },
  ])
  t.equal(decision.outcome, "deny")
})

t.test("a batch is allowed if every item is allowed and none denied", async (t) => {
  const of = (amount: number) =>
    JSON.stringify({
      types: { Pay: [{ name: "amount", type: "uint256" }] },
      primaryType: "Pay",
      domain: {},
      message: { amount },
    })
  const outcomeOf = (policies: DecisionSetup["policies"], ...amounts: number[]) => {
    const parameters = { encoding: 3, payloads: amounts.map(of) }
    const question = decisionInput({
      policies: policies ?? [],
      type: "SIGN_RAW_PAYLOADS",
      parameters,
      approvers: ["dan"],
    })
    const decision = decide(question)
    return [decision.outcome, ...outcomeNames(decision)]
  }
  const small = allow({ condition: "eth.eip_712.message['amount'] < 10" })
  const large = allow({ condition: "eth.eip_712.message['amount'] >= 10" })
  const none = deny({ condition: "eth.eip_712.message['amount'] == 13" })
  t.same(outcomeOf([small], 1, 2), ["allow", "ALLOW"])
  t.same(outcomeOf([small], 1, 12), ["deny", "DENY_IMPLICIT"])
  t.same(outcomeOf([small, large], 1, 12), ["allow", "DENY_IMPLICIT", "DENY_IMPLICIT"], "each by some policy")
  t.same(outcomeOf([allow(), none], 1, 13, 2), ["deny", "ALLOW", "DENY_EXPLICIT"])
  const pair = allow({ condition: "eth.eip_712.message['amount'] < 20", consensus: "approvers.count() >= 2" })
  t.same(outcomeOf([small, pair], 1, 12), ["consensus", "DENY_IMPLICIT", "REQUIRES_CONSENSUS"])
})
