import { create } from "@bufbuild/protobuf"
import t from "tap"
import {
  AuthenticationType,
  CredentialType,
  OtpType,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { UserSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { contactCredential, keyCredential } from "../../../../../signer/core/policy/decision/credentials.ts"
import { Budget, type RootReader, members } from "../../../../../signer/core/policy/expression.ts"
import {
  evaluateMfaConditions,
  matchingMfaPolicy,
  mfaRootsOf,
  mfaProgress,
} from "../../../../../signer/core/policy/decision/mfa.ts"
import { RequestFacts } from "../../../../../signer/core/policy/facts/request-facts.ts"

const { API_KEY, EMAIL_OTP, PASSKEY, SESSION, SMS_OTP } = AuthenticationType
const PLAIN = "00000000-0000-0000-0000-000000000000"

const key = (id: string) => keyCredential({ id, type: CredentialType.API_KEY_P256, publicKey: id })
const session = (profileId = "", openedBy = "") => {
  const id = `s${profileId}`
  return keyCredential({ id, type: CredentialType.LOGIN, publicKey: id, profileId, openedBy })
}
const passkey = (id: string) => ({
  ...key(id),
  type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
  credentialId: id,
})

const dan = create(UserSchema, { userId: "dan" })
const mail = contactCredential(dan, OtpType.EMAIL)
const sms = contactCredential(dan, OtpType.SMS)

type Step = { type: AuthenticationType; id?: string }[]
type Init = { condition?: string; order?: number; steps?: Step[] }

const user = (...policies: Init[]) =>
  create(UserSchema, {
    userId: "dan",
    mfaPolicies: policies.map(({ condition = "true", order = 0, steps = [[{ type: PASSKEY }]] }, index) => ({
      mfaPolicyId: `m${index + 1}`,
      condition,
      order,
      steps: steps.map((any) => ({ any })),
    })),
  })

const SIGNS: RootReader = (root) =>
  root === "activity"
    ? members({ action: "SIGN", type: "t", resource: "r", kind: "k", params: members({}) })
    : undefined

const enforced = (...policies: Init[]) =>
  matchingMfaPolicy(user(...policies), new RequestFacts([SIGNS]))?.mfaPolicyId

function standing(steps: Step[], credentials: ReturnType<typeof key>[]) {
  const dan = user({ steps })
  return mfaProgress(dan, dan.mfaPolicies[0]!, credentials)
}

t.test("only the lowest MFA policy in order whose condition is true is enforced", async (t) => {
  t.equal(enforced(), undefined)
  t.equal(enforced({}), "m1")
  t.equal(enforced({ order: 2 }, { order: -1 }, { order: 1 }), "m2")
  t.equal(enforced({ order: 1, condition: "false" }, { order: 2 }), "m2")
  t.equal(enforced({ order: 1, condition: "activity.action == 'SIGN'" }, { order: 2 }), "m1")
  t.equal(enforced({ condition: "activity.action == 'EXPORT'" }), undefined)
  t.equal(enforced({ order: 1 }, { order: 1 }), "m1", "of equals the older")
})

t.test("an MFA condition in error does not match; one that does not compile matches", async (t) => {
  t.equal(enforced({ order: 1, condition: "eth.tx.value > 5" }, { order: 2 }), "m2")
  t.equal(enforced({ condition: "eth.tx.value > 5" }), undefined)
  t.equal(enforced({ order: 1, condition: "nothing like it" }, { order: 2 }), "m1")
})

t.test("an MFA condition that costs too much matches: the request may have caused the cost", async (t) => {
  const dan = user({ condition: "activity.action == 'EXPORT'" })
  const facts = (steps: number) => new RequestFacts([SIGNS], new Budget(), new Budget(steps))
  t.equal(matchingMfaPolicy(dan, facts(1000)), undefined)
  t.equal(matchingMfaPolicy(dan, facts(1))?.mfaPolicyId, "m1")
})

t.test("MFA conditions of one user, or of policies, cost another user's none of their steps", async (t) => {
  const long = "a".repeat(10_000)
  const costly = (index: number) =>
    `${Array.from({ length: 20 }, () => `CaseInsensitiveString('${long}') == '${long}'`).join(" || ")} || ${index} > 9`
  const greedy = user(...Array.from({ length: 8 }, (_, index) => ({ condition: costly(index) })))
  const dan = user({ condition: "activity.action == 'EXPORT'" }, { condition: "activity.action == 'SIGN'" })
  for (const users of [
    [greedy, dan],
    [dan, greedy],
  ]) {
    const facts = new RequestFacts([SIGNS], new Budget(), new Budget(20_000))
    evaluateMfaConditions(users, facts)
    t.equal(matchingMfaPolicy(dan, facts)?.mfaPolicyId, "m2")
    t.equal(matchingMfaPolicy(greedy, facts)?.mfaPolicyId, "m1", "which may match")
    t.equal(facts.policies.budget.left, new Budget().left)
  }
})

t.test("an MFA policy matches a batch if it matches one item", async (t) => {
  const nothing: RootReader = () => undefined
  const dan = user({ condition: "activity.action == 'SIGN'" })
  t.equal(matchingMfaPolicy(dan, new RequestFacts([nothing, SIGNS]))?.mfaPolicyId, "m1")
})

const KEY_AND_SESSION = [[{ type: API_KEY }], [{ type: SESSION }]]

const ROWS: readonly [title: string, steps: Step[], credentials: ReturnType<typeof key>[], isMet: boolean][] =
  [
    ["nothing shown meets nothing", [[{ type: API_KEY }]], [], false],
    ["a key of any id", [[{ type: API_KEY }]], [key("a")], true],
    ["a key of this id", [[{ type: API_KEY, id: "a" }]], [key("a")], true],
    ["not a key of another id", [[{ type: API_KEY, id: "a" }]], [key("b")], false],
    ["a passkey is no API key", [[{ type: API_KEY }]], [passkey("a")], false],
    ["a session is no API key", [[{ type: API_KEY }]], [session()], false],
    ["a passkey", [[{ type: PASSKEY }]], [passkey("a")], true],
    ["any session", [[{ type: SESSION }]], [session("p")], true],
    ["a session of this profile", [[{ type: SESSION, id: "p" }]], [session("p")], true],
    ["a plain session", [[{ type: SESSION, id: PLAIN }]], [session()], true],
    ["not one of a profile", [[{ type: SESSION, id: PLAIN }]], [session("p")], false],
    ["one method of several", [[{ type: PASSKEY }, { type: SESSION }]], [session()], true],
    ["all steps, in any order", [[{ type: PASSKEY }], [{ type: API_KEY }]], [key("a"), passkey("b")], true],
    ["not all steps", [[{ type: PASSKEY }], [{ type: API_KEY }]], [key("a")], false],
    [
      "two steps are not met by one credential",
      [[{ type: API_KEY }], [{ type: API_KEY }]],
      [key("a")],
      false,
    ],
    ["nor by a key and a session that it opened", KEY_AND_SESSION, [key("a"), session("", "a")], false],
    ["but by one that another key opened", KEY_AND_SESSION, [key("a"), session("", "b")], true],
    ["or a passkey did", [[{ type: PASSKEY }], [{ type: SESSION }]], [passkey("a"), session()], true],
    [
      "nor by a session and one that it opened",
      [[{ type: SESSION }], [{ type: SESSION, id: "p" }]],
      [session(), session("p", "s")],
      false,
    ],
    ["a code by mail", [[{ type: EMAIL_OTP }]], [mail], true],
    ["a code by text message", [[{ type: SMS_OTP }]], [sms], true],
    ["not a code by the other channel", [[{ type: EMAIL_OTP }]], [sms], false],
    ["nor by that one", [[{ type: SMS_OTP }]], [mail], false],
    ["a contact is no API key", [[{ type: API_KEY }]], [mail], false],
    [
      "a session that a code opened is no code",
      [[{ type: EMAIL_OTP }]],
      [session("", mail.publicKey)],
      false,
    ],
    [
      "a code and the session that it opened are one factor",
      [[{ type: EMAIL_OTP }], [{ type: SESSION }]],
      [mail, session("", mail.publicKey)],
      false,
    ],
    ["codes by both channels are two", [[{ type: EMAIL_OTP }], [{ type: SMS_OTP }]], [sms, mail], true],
    ["two steps are met by two", [[{ type: API_KEY }], [{ type: API_KEY }]], [key("a"), key("b")], true],
    ["each finds its own", [[{ type: API_KEY }], [{ type: API_KEY, id: "a" }]], [key("a"), key("b")], true],
  ]

for (const [title, steps, credentials, isMet] of ROWS) {
  t.test(title, async (t) => {
    t.equal(standing(steps, credentials).isMet, isMet)
  })
}

t.test("progress lists the methods used of those that the MFA policy asks for", async (t) => {
  const steps = [[{ type: PASSKEY }], [{ type: API_KEY, id: "a" }]]
  const { usedMethods: shown, ...progress } = standing(steps, [key("a"), key("b"), session()])
  t.match(progress, { userId: "dan", metSteps: 1, isMet: false })
  t.same(shown, [{ type: API_KEY, id: "a" }])
})

t.test("the roots that MFA conditions read are known before evaluation", async (t) => {
  t.same(mfaRootsOf(user({ condition: "wallet.id == 'x' && activity.kind == 'y'" })), ["wallet", "activity"])
})
