import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import t from "tap"
import { Outcome } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { decide, evaluateItems } from "../../../../../signer/core/policy/decision/decide.ts"
import { PolicyEvaluator } from "../../../../../signer/core/policy/decision/policy-evaluator.ts"
import { PolicySelection } from "../../../../../signer/core/policy/decision/policy-selection.ts"
import {
  type Members,
  members,
  type RootReader,
  UnreadableValue,
} from "../../../../../signer/core/policy/expression.ts"
import { RequestFacts } from "../../../../../signer/core/policy/facts/request-facts.ts"
import { write } from "../language/interpreter.ts"
import { data, environmentOf, trees } from "../language/random-trees.ts"
import { allow, decisionInput, deny, outcomeNames, type PolicyInit } from "./fixture.ts"
import { runsOf } from "../../../../harness/long.ts"

const FIELDS = ["wallet.label", "eth.tx.to", "eth.tx.data", "activity.action", "private_key.label"]
const TEXTS = ["", "a", "A", "b", "ab", "aB"]

const text = fc.constantFrom(...TEXTS).map((one) => `'${one}'`)
const guard = fc.oneof(
  fc.tuple(fc.constantFrom(...FIELDS), text).map(([field, one]) => `${field} == ${one}`),
  fc.tuple(fc.constantFrom(...FIELDS), text).map(([field, one]) => `${one} == ${field}`),
  fc
    .tuple(fc.constantFrom(...FIELDS), fc.array(text, { minLength: 1, maxLength: 3 }))
    .map(([field, some]) => `${field} in [${some.join(", ")}]`),
)
const plain = fc.constantFrom(
  "wallet.imported",
  "!wallet.exported",
  "wallet.label != 'a'",
  "'b' != wallet.label",
  "eth.tx.value <= 2",
  "eth.tx.nonce == '1'",
)
const random = trees.map((tree) => `(${write(tree, () => true)})`)
const part = fc.oneof({ weight: 8, arbitrary: guard }, { weight: 2, arbitrary: plain }, random)
const condition = fc.oneof(
  { weight: 5, arbitrary: fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" && ")) },
  fc.tuple(part, part).map((parts) => parts.join(" || ")),
  fc.constant(""),
)
const consensus = fc.constantFrom(
  "",
  "approvers.any(u, u.id == 'dan')",
  "approvers.any(u, 'eva' == u.id)",
  "approvers.any(u, u.id != 'dan')",
  "approvers.all(u, u.id == 'dan')",
  "approvers.any(u, u.id == 'fay') && approvers.count() >= 2",
  "approvers.any(u, u.tags.contains('admin'))",
  "approvers[2].id == 'fay'",
  "credentials.any(c, c.user_id == 'eva')",
)
const policy = fc
  .record({
    isDeny: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
    condition,
    consensus,
    time: fc.constantFrom("", "", "", "time.now > Timestamp('2030-01-01T00:00:00Z')"),
  })
  .map(({ isDeny, ...parts }): PolicyInit => (isDeny ? deny(parts) : allow(parts)))

const request = fc.record({
  policies: fc.array(policy, { minLength: 1, maxLength: 12 }),
  items: fc.oneof({ weight: 3, arbitrary: fc.tuple(data) }, fc.array(data, { minLength: 2, maxLength: 3 })),
  approvers: fc.subarray(["dan", "eva", "fay"], { minLength: 1 }),
  isStrict: fc.boolean(),
})

t.test("C-1880: a policy that is left out has the result that its evaluation gives", async (t) => {
  let [left, kept, allowed] = [0, 0, 0]
  fc.assert(
    fc.property(request, ({ items, ...setup }) => {
      const input = decisionInput(setup)
      const asked = () => ({ ...input, facts: new RequestFacts(items.map(environmentOf)) })
      const evaluator = new PolicyEvaluator(asked())
      const expected = items.map((_, item) => evaluator.evaluatePolicies(item))
      const found = evaluateItems(asked())
      if (!isDeepStrictEqual(found, expected))
        throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`)
      const { policies } = new PolicySelection(asked())
      kept += policies.length
      left += setup.policies.length - policies.length
      allowed += expected.flat().filter(({ outcome }) => outcome === Outcome.ALLOW).length
    }),
    { numRuns: runsOf(1_500) },
  )
  t.ok(left > runsOf(1_000) && kept > runsOf(1_000), `${left} left out, ${kept} evaluated`)
  t.ok(allowed > runsOf(200), `${allowed} allow`)
})

t.test("a value that cannot be read refuses the request, whatever other texts a policy needs", async (t) => {
  const refusal = new Error("this transaction cannot be read")
  const reader: RootReader = (root) =>
    root === "eth.tx"
      ? members({ to: "0xaa", data: new UnreadableValue(refusal) })
      : root === "wallet"
        ? members({ label: "main" })
        : undefined
  const policies = [allow({ condition: "wallet.label == 'other' && eth.tx.data == '0x'" })]
  const input = decisionInput({ policies, approvers: ["dan"] })
  t.throws(() => decide({ ...input, facts: new RequestFacts([reader]) }), refusal)
})

t.test(
  "of a thousand policies of wallets and of users, those of the wallet and the user are evaluated",
  async (t) => {
    const names = Array.from({ length: 500 }, (_, index) => `w${index}`)
    const policies = [
      // A payload without a transaction: an error, without an evaluation.
      allow({ condition: "eth.tx.to == '0xaa'" }),
      deny({ condition: "wallet.label == 'frozen'" }),
      ...names.map((name) => allow({ condition: `activity.action == 'SIGN' && wallet.label == '${name}'` })),
      ...names.map((name) =>
        allow({ condition: "wallet.imported", consensus: `approvers.any(u, u.id == '${name}')` }),
      ),
      allow({ condition: "wallet.imported", consensus: "approvers.any(u, u.id == 'dan')" }),
    ]
    const holdings = { wallet: { id: "1", label: "w7", imported: false, exported: false } }
    const input = decisionInput({ policies, approvers: ["dan"], holdings })
    const { policies: evaluated } = new PolicySelection(input)
    t.strictSame(
      evaluated.map(({ policyId }) => policyId),
      ["p2", "p10", "p1003"],
    )
    const decision = decide(input)
    t.strictSame(decision.outcome, "allow")
    t.strictSame(
      outcomeNames(decision).flatMap((name, index) => (name === "DENY_IMPLICIT" ? [] : [`${index} ${name}`])),
      ["0 ERROR", "9 ALLOW"],
    )
  },
)

t.test("an integer beside a text is an error, whatever other texts a policy needs", async (t) => {
  const roots: { [root: string]: Members } = {
    "eth.eip_7702_authorization": members({ address: "0xaa", nonce: 1n }),
    wallet: members({ label: "main" }),
  }
  const condition = "wallet.label == 'other' && eth.eip_7702_authorization.nonce == 'a'"
  const input = decisionInput({ policies: [allow({ condition })], approvers: ["dan"] })
  const facts = new RequestFacts([(root) => roots[root]])
  t.strictSame(outcomeNames(decide({ ...input, facts })), ["ERROR"])
})
