import t from "tap"
import { activityTypes } from "../../../proto/catalog.ts"
import { Outcome, OutcomeSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { decide } from "../../../signer/core/policy/decision/decide.ts"
import { simulate, type SimulationInput, SimulationFault } from "../../../services/policy-advice/simulate.ts"
import {
  allow,
  decisionInput,
  deny,
  organizationWith,
  type PolicyInit,
} from "../../signer/core/policy/decision/fixture.ts"

/** dan, an ordinary user, signs. */
function trial(policies: readonly PolicyInit[], more: Partial<SimulationInput> = {}): SimulationInput {
  return {
    document: organizationWith(policies).document,
    drafts: [],
    onlyDrafts: false,
    activity: activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")!,
    parameters: {},
    holdings: {},
    submitter: { userId: "dan" },
    approvers: [],
    nowMs: Date.UTC(2026, 0, 5, 12),
    ...more,
  }
}

const outcomes = (one: SimulationInput) => simulate(one).policies.map(({ outcome }) => outcome)

t.test("a simulation has the outcome of the signer's procedure for the same input", async (t) => {
  const sets: (readonly PolicyInit[])[] = [
    [],
    [allow()],
    [deny(), allow()],
    [allow({ consensus: "approvers.count() >= 2" })],
    [allow({ consensus: "approvers.any(u, u.tags.contains('admin'))" })],
    [allow({ condition: "eth.tx.value > 1" })],
    [allow({ time: "CronSpan('0 8 * * 1-5', '10h', 'UTC')" }), deny({ condition: "wallet.exported" })],
  ]
  for (const policies of sets) {
    for (const approvers of [["dan"], ["dan", "eva"], ["ann"], ["ann", "ben"]]) {
      const [submitter = "", ...others] = approvers
      const simulated = simulate(
        trial(policies, {
          submitter: { userId: submitter },
          approvers: others.map((userId) => ({ userId })),
        }),
      )
      const { outcome, policyOutcomes } = inTurn(policies, approvers)
      const expected = { allow: Outcome.ALLOW, consensus: Outcome.REQUIRES_CONSENSUS, deny: undefined }[
        outcome
      ]
      if (expected === undefined) t.match(OutcomeSchema.value[simulated.outcome]?.name, /^OUTCOME_DENY_/)
      else t.equal(simulated.outcome, expected, `${JSON.stringify(policies)} ${approvers.join()}`)
      if (policyOutcomes.length > 0) {
        t.strictSame(
          simulated.policies.map((one) => one.outcome),
          policyOutcomes.map((one) => one.outcome),
        )
      }
    }
  }
})

/** As the signer decides: at the submission, and again at each vote while it waits. */
function inTurn(policies: readonly PolicyInit[], approvers: readonly string[]) {
  const decisions = approvers.map((_, index) =>
    decide(decisionInput({ policies, approvers: approvers.slice(0, index + 1) })),
  )
  const [submission] = decisions
  if (submission?.outcome !== "consensus") return submission!
  return decisions.find(({ outcome }) => outcome === "allow") ?? decisions.at(-1)!
}

t.test("an activity that is denied at submission gets no votes", async (t) => {
  const policies = [
    allow({ consensus: "approvers.any(u, u.id == 'eva') && approvers.any(u, u.id == 'fay')" }),
  ]
  const { DENY_IMPLICIT, REQUIRES_CONSENSUS, ALLOW } = Outcome
  const by = (userId: string, ...others: string[]) => {
    const approvers = others.map((other) => ({ userId: other }))
    return simulate(trial(policies, { submitter: { userId }, approvers }))
  }
  t.match(by("dan", "eva", "fay"), { outcome: DENY_IMPLICIT, reason: /denied at submission/ })
  t.match(by("eva"), { outcome: REQUIRES_CONSENSUS })
  t.match(by("eva", "fay"), { outcome: ALLOW })
  const recorded = trial(policies, { approvers: [{ userId: "eva" }, { userId: "fay" }], isRecorded: true })
  t.equal(simulate(recorded).outcome, ALLOW, "its submission stands")
  const alone = [allow({ consensus: "approvers.count() == 1" })]
  t.equal(simulate(trial(alone, { approvers: [{ userId: "eva" }] })).outcome, ALLOW, "it ran before the vote")
})

t.test("outcomes of policies are shown even where the root quorum decided", async (t) => {
  const { outcome, reason, policies } = simulate(
    trial([deny()], { submitter: { userId: "ann" }, approvers: [{ userId: "ben" }] }),
  )
  t.match({ outcome, reason }, { outcome: Outcome.ALLOW, reason: /root quorum is complete/ })
  t.match(policies, [{ outcome: Outcome.DENY_EXPLICIT }])
})

t.test("a draft replaces its policy, is added, or stands alone", async (t) => {
  const draft = { name: "draft", effect: "allow", condition: "true" } as const
  const policies = [deny({ condition: "false" }), deny({ condition: "false" })]
  const { DENY_IMPLICIT, ALLOW } = Outcome
  t.strictSame(outcomes(trial(policies, { drafts: [{ ...draft, policyId: "p1" }] })), [ALLOW, DENY_IMPLICIT])
  t.strictSame(outcomes(trial(policies, { drafts: [draft] })), [DENY_IMPLICIT, DENY_IMPLICIT, ALLOW])
  t.strictSame(outcomes(trial(policies, { drafts: [draft], onlyDrafts: true })), [ALLOW])
  t.strictSame(outcomes(trial(policies, { drafts: [{ ...draft, policyId: "gone" }], onlyDrafts: true })), [
    ALLOW,
  ])
})

t.test("a user who approves twice counts once", async (t) => {
  const policies = [allow({ consensus: "approvers.count() >= 3" })]
  const outcomeOf = (...userIds: string[]) =>
    simulate(trial(policies, { approvers: userIds.map((userId) => ({ userId })) })).outcome
  t.equal(outcomeOf("eva", "eva", "dan"), Outcome.REQUIRES_CONSENSUS)
  t.equal(outcomeOf("eva", "fay"), Outcome.ALLOW)
})

t.test("shows the clauses that decided, and why one has no value", async (t) => {
  const condition = "activity.action == 'SIGN' && !wallet.exported && private_key.id == 'x'"
  const { policies } = simulate(trial([allow({ condition })]))
  const text = "wallet.exported"
  t.match(policies[0]?.expressions, [
    {
      field: "condition",
      result: "error",
      deciding: [{ text, offset: condition.indexOf(text), result: "error" }],
    },
  ])
  t.type(policies[0]?.expressions[0]?.deciding[0]?.sentence, "string")
})

t.test("an expression that costs too much to explain has its outcome and no clauses", async (t) => {
  const costly = allow({
    condition: Array.from({ length: 300 }, () => "activity.action == 'SIGN'").join(" && "),
  })
  const { policies } = simulate(trial(Array.from({ length: 100 }, () => costly)))
  t.ok(policies.every(({ outcome }) => outcome === Outcome.ALLOW))
  t.equal(policies[0]?.expressions[0]?.deciding.length, 300)
  t.strictSame(policies.at(-1)?.expressions[0]?.deciding, [])
})

t.test("refuses unknown voters, and drafts that are too long", async (t) => {
  const fault = (more: Partial<SimulationInput>) => () => simulate(trial([], more))
  t.throws(fault({ submitter: { userId: "zoe" } }), {
    constructor: SimulationFault,
    member: "submitter",
  } as never)
  const long = Array.from(
    { length: 100 },
    () => ({ name: "long", effect: "allow", condition: "x".repeat(2000) }) as const,
  )
  t.throws(fault({ drafts: long }), { member: "draftPolicies" } as never)
  t.throws(fault({ approvers: [{ userId: "eva" }, { userId: "zoe" }] }), { member: "approvers[1]" } as never)
  t.throws(
    fault({ approvers: [{ userId: "fay", credentialType: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" }] }),
    {
      message: /has no credential of type/,
    },
  )
})
