import t from "tap"
import { serializeTransaction, toFunctionSelector } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { activityTypes } from "../../../proto/catalog.ts"
import {
  Outcome,
  OutcomeSchema,
  PayloadEncoding,
  SmartContractInterfaceType,
  TransactionType,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesOf } from "../../../services/policy-advice/interfaces.ts"
import { NO_INTERFACES } from "../../../signer/core/contract-interface/interfaces.ts"
import { decide } from "../../../signer/core/policy/decision/decide.ts"
import { simulate, simulateInSteps, type SimulationInput } from "../../../services/policy-advice/simulate.ts"
import { SimulationFault } from "../../../services/policy-advice/simulation-fault.ts"
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
    interfaces: NO_INTERFACES,
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
      const expected = {
        allow: Outcome.ALLOW,
        consensus: Outcome.REQUIRES_CONSENSUS,
        undecided: Outcome.ERROR,
        deny: undefined,
      }[outcome]
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
  const recorded = trial(policies, {
    approvers: [{ userId: "eva" }, { userId: "fay" }],
    recorded: { hasSubmission: true },
  })
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

t.test("an unreadable value is a fault of the request, as the signer refuses it", async (t) => {
  const address = `0x${"11".repeat(20)}` as const
  const publicKey = privateKeyToAccount(`0x${"11".repeat(32)}`).publicKey.slice(2)
  const abi = [{ name: "set", inputs: [{ name: "side", type: "Book.Side" }] }]
  const unsignedTransaction = serializeTransaction({
    type: "eip1559",
    chainId: 1,
    to: address,
    data: toFunctionSelector("set(Book.Side)"),
  })
  const signing = (condition: string) =>
    trial([allow({ condition })], {
      activity: activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")!,
      parameters: { type: TransactionType.ETHEREUM, unsignedTransaction },
      holdings: { key: { curve: "CURVE_SECP256K1", publicKey, addresses: [] } },
      interfaces: interfacesOf([
        { type: SmartContractInterfaceType.ETHEREUM, address, text: JSON.stringify(abi) },
      ]),
    })
  t.equal(simulate(signing("eth.tx.function_name == 'set'")).outcome, Outcome.ALLOW)
  t.throws(() => simulate(signing("eth.tx.contract_call_args['side'] == 1")), {
    constructor: SimulationFault,
    member: "parameters.unsignedTransaction",
    message: /set\(Book\.Side\) that cannot be read/,
  })
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

const pay = (amount: number, note = "") =>
  JSON.stringify({
    types: {
      Pay: [
        { name: "amount", type: "uint256" },
        { name: "note", type: "string" },
      ],
    },
    primaryType: "Pay",
    domain: {},
    message: { amount, note },
  })

/** dan signs several typed payloads. */
const batch = (policies: readonly PolicyInit[], payloads: readonly string[]): SimulationInput =>
  trial(policies, {
    activity: activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOADS")!,
    parameters: { encoding: PayloadEncoding.EIP712, payloads },
  })

t.test("the advice on a batch names the payload that decided and shows its clauses", async (t) => {
  const amount = "eth.eip_712.message['amount']"
  const small = allow({ condition: `${amount} < 10 && ${amount} != 5` })
  const none = deny({ condition: `${amount} == 13` })
  const denied = simulate(batch([small, none], [pay(1), pay(2), pay(13), pay(5)]))
  t.match(denied, { outcome: Outcome.DENY_EXPLICIT, payloadIndex: 2 })
  t.match(denied.policies, [
    {
      outcome: Outcome.DENY_IMPLICIT,
      payloadIndex: 2,
      expressions: [{ result: "false", deciding: [{ text: `${amount} < 10` }] }],
    },
    {
      outcome: Outcome.DENY_EXPLICIT,
      payloadIndex: 2,
      expressions: [{ result: "true", deciding: [{ text: `${amount} == 13` }] }],
    },
  ])
  const missing = simulate(batch([small], [pay(1), pay(5)]))
  t.match(missing, { outcome: Outcome.DENY_IMPLICIT, payloadIndex: 1 })
  t.match(missing.policies[0]?.expressions[0]?.deciding, [{ text: `${amount} != 5` }])
  const single = simulate(batch([small], [pay(1)]))
  t.equal(single.payloadIndex, undefined, "one payload has no index")
  t.equal(single.policies[0]?.payloadIndex, undefined)
})

t.test("a simulation ends at its own limit of steps, and runs in slices", async (t) => {
  const costly = Array.from({ length: 15 }, (_, index) =>
    allow({
      consensus: `approvers.filter(u, u.tags[0] == 'agent' || u.tags[0] == '${index}').count() >= 85`,
    }),
  )
  const { document } = organizationWith(costly)
  const [dan] = document.users.filter(({ userId }) => userId === "dan")
  document.users.push(...Array.from({ length: 90 }, (_, index) => ({ ...dan!, userId: `user ${index}` })))
  const approvers = Array.from({ length: 80 }, (_, index) => ({ userId: `user ${index}` }))
  const few = simulate({ ...trial([]), document, approvers: approvers.slice(0, 3) })
  t.equal(few.outcome, Outcome.REQUIRES_CONSENSUS, "each decision alone is within its limits")
  t.throws(() => simulate({ ...trial([]), document, approvers }), { code: "SIMULATION_TOO_COSTLY" })
  const note = "\u00e9\u20ac".repeat(200_000)
  const folded = allow({ condition: "CaseInsensitiveString(eth.eip_712.message['note']) == 'a'" })
  const parts = simulateInSteps(
    batch(
      Array.from({ length: 20 }, () => folded),
      [pay(1, note)],
    ),
  )
  let slices = 1
  while (parts.next().done !== true) slices += 1
  t.ok(slices >= 20, `${slices} slices`)
})

t.test("a submission that no longer counts is no approval of a recorded activity", async (t) => {
  const policies = [allow({ consensus: "approvers.count() >= 2" })]
  const recorded = (hasSubmission: boolean) =>
    simulate(trial(policies, { approvers: [{ userId: "eva" }], recorded: { hasSubmission } })).outcome
  t.equal(recorded(true), Outcome.ALLOW)
  t.equal(recorded(false), Outcome.REQUIRES_CONSENSUS)
})
