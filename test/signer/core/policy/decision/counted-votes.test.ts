// Votes that would count, and the users who could cast them. dan is an agent; eva and fay are admins, eva has a passkey;
// ann, ben and cid are the root quorum, two of them.
import t from "tap"
import { Outcome } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { newBudgets } from "../../../../../signer/core/policy/decision/decision-input.ts"
import {
  couldCountVote,
  countVote,
  eligibleVoters,
} from "../../../../../signer/core/policy/decision/eligible-votes.ts"
import { outcomeOfDenial } from "../../../../../signer/core/policy/decision/policy-evaluator.ts"
import { Budget } from "../../../../../signer/core/policy/expression.ts"
import { allow, type DecisionSetup, decisionInput, deny, type PolicyInit, voteOf } from "./fixture.ts"

const TWO = "approvers.count() >= 2"
const PASSKEY = "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')"
const LONG_PAST = "time.now < Timestamp('2020-01-01T00:00:00Z')"
const NEVER = "activity.action == 'DELETE'"

const payment = (amount: number) =>
  JSON.stringify({
    types: { Pay: [{ name: "amount", type: "uint256" }] },
    primaryType: "Pay",
    domain: {},
    message: { amount },
  })

/** A batch of one payment for each amount. */
const batch = (...amounts: number[]): Pick<DecisionSetup, "type" | "parameters"> => ({
  type: "SIGN_RAW_PAYLOADS",
  parameters: { encoding: 3, payloads: amounts.map(payment) },
})

type More = Partial<DecisionSetup> & { searchSteps?: number }
type Row = [title: string, policies: PolicyInit[], counts: boolean, could: boolean, more?: More]

/** dan submitted and approved. `counts`: eva's vote counts. `could`: it does whatever the activity's facts are. */
const ROWS: readonly Row[] = [
  ["an ALLOW that lacks the vote counts it", [allow({ consensus: TWO })], true, true],
  ["one such ALLOW of several is enough", [deny(), allow(), allow({ consensus: TWO })], true, true],
  [
    "one of two ALLOWs that tell votes apart alike is enough",
    [allow({ consensus: TWO }), allow({ consensus: "approvers.count() >= 7" })],
    true,
    true,
  ],
  ["an ALLOW without consensus counts no vote", [allow()], false, false],
  ["an ALLOW that cannot be compiled counts none", [allow({ consensus: "nothing like it" })], false, false],
  ["a DENY counts none", [deny({ consensus: TWO })], false, false],
  ["an ALLOW out of its time counts none", [allow({ consensus: TWO, time: LONG_PAST })], false, false],
  ["a condition that is false can become true", [allow({ consensus: TWO, condition: NEVER })], false, true],
  [
    "an ALLOW that holds for one item of a batch counts it",
    [allow({ consensus: TWO, condition: "eth.eip_712.message['amount'] > 10" })],
    true,
    true,
    batch(1, 12),
  ],
  [
    "no policy counts a vote on what is the root quorum's alone",
    [allow({ consensus: TWO })],
    false,
    false,
    { type: "UPDATE_ROOT_QUORUM" },
  ],
  ["without policies no vote counts", [], false, false],
  ["a search without steps left counts none", [allow({ consensus: TWO })], false, false, { searchSteps: 0 }],
]

for (const [title, policies, counts, could, more = {}] of ROWS) {
  t.test(title, async (t) => {
    const { searchSteps, ...setup } = more
    const input = () => {
      const budgets = newBudgets()
      const searches = searchSteps === undefined ? budgets.searches : new Budget(searchSteps)
      const made = decisionInput({ policies, approvers: ["dan"], ...setup })
      return { ...made, budgets: { ...budgets, searches } }
    }
    const { organization } = input()
    t.equal(countVote(input(), voteOf(organization, "eva")!).counts, counts)
    t.equal(couldCountVote(input(), voteOf(organization, "eva")!).counts, could)
    t.ok(countVote(input(), voteOf(organization, "ann")!).counts, "a root member's counts always")
    t.same(eligibleVoters(input()).userIds, counts ? ["eva", "fay"] : [])
  })
}

t.test("users whose vote counts by one of their credentials alone are named", async (t) => {
  const policies = [allow({ consensus: `${TWO} && ${PASSKEY}` })]
  t.same(eligibleVoters(decisionInput({ policies, approvers: ["dan"] })).userIds, ["eva"])
  const three = [allow({ consensus: "approvers.count() >= 3" })]
  t.same(eligibleVoters(decisionInput({ policies: three, approvers: ["dan", "eva"] })).userIds, ["fay"])
})

t.test("consensus and time cost a batch no more steps than one item", async (t) => {
  const time = "time.now > Timestamp('2020-01-01T00:00:00Z')"
  const policies = [allow({ condition: "eth.eip_712.message['amount'] > 0", consensus: TWO, time })]
  const stepsOf = (...amounts: number[]) => {
    const budgets = newBudgets()
    const before = { approvals: budgets.approvals.left, searches: budgets.searches.left }
    const input = { ...decisionInput({ policies, approvers: ["dan"], ...batch(...amounts) }), budgets }
    const { outcome, items } = decide(input)
    t.same([outcome, items.length], ["consensus", amounts.length])
    return [before.approvals - budgets.approvals.left, before.searches - budgets.searches.left]
  }
  const [approvals = 0, searches = 0] = stepsOf(1)
  t.ok(approvals > 0 && searches > 0, `${approvals} and ${searches}`)
  t.same(stepsOf(1, 2, 3), [approvals, searches])
})

t.test("a denial is explicit if a policy denied", async (t) => {
  const outcomes = (...all: Outcome[]) => all.map((outcome) => ({ policyId: "", outcome }))
  const { ALLOW, DENY_EXPLICIT, DENY_IMPLICIT } = Outcome
  t.equal(outcomeOfDenial(outcomes(ALLOW, DENY_EXPLICIT, DENY_IMPLICIT)), DENY_EXPLICIT)
  t.equal(outcomeOfDenial(outcomes(ALLOW, DENY_IMPLICIT)), DENY_IMPLICIT)
  t.equal(outcomeOfDenial([]), DENY_IMPLICIT)
})
