import t from "tap"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { allow, type DecisionSetup, decisionInput, deny, outcomeNames } from "./fixture.ts"

// One row for each rule of the decision procedure. dan is an agent; eva and fay are admins; ann, ben and cid are the
// root quorum, two of them.

const SIGNS = "activity.action == 'SIGN'"
const ABSENT = "eth.tx.value > 5"
const AGENT = "approvers.any(u, u.tags.contains('agent'))"
const ADMIN = "approvers.filter(u, u.tags.contains('admin')).count() >= 1"
const NOW = "CronSpan('0 0 * * *', '1d', 'UTC')"
const LONG_PAST = "time.now < Timestamp('2020-01-01T00:00:00Z')"

type Row = [title: string, ask: DecisionSetup, outcome: string, policies: string[]]

const ROWS: readonly Row[] = [
  // Policies that apply.
  [
    "an ALLOW without expressions allows everything",
    { policies: [allow()], approvers: ["dan"] },
    "allow",
    ["ALLOW"],
  ],
  [
    "an empty expression is as good as none",
    { policies: [allow({ condition: "", consensus: "", time: "" })], approvers: ["dan"] },
    "allow",
    ["ALLOW"],
  ],
  [
    "an ALLOW applies where all three expressions hold",
    { policies: [allow({ condition: SIGNS, consensus: AGENT, time: NOW })], approvers: ["dan"] },
    "allow",
    ["ALLOW"],
  ],
  [
    "an ALLOW whose condition is false does not apply",
    { policies: [allow({ condition: SIGNS })], type: "CREATE_WALLET", approvers: ["dan"] },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "an ALLOW out of its time does not apply",
    { policies: [allow({ time: LONG_PAST })], approvers: ["dan"] },
    "deny",
    ["TIME_INACTIVE"],
  ],
  [
    "a DENY out of its time does not deny",
    { policies: [allow(), deny({ time: LONG_PAST })], approvers: ["dan"] },
    "allow",
    ["ALLOW", "TIME_INACTIVE"],
  ],
  [
    "a policy out of its time is that, even where another expression errs",
    { policies: [deny({ time: LONG_PAST, condition: ABSENT })], approvers: ["dan"] },
    "deny",
    ["TIME_INACTIVE"],
  ],

  // DENY before ALLOW; every policy is judged.
  [
    "a DENY beats an ALLOW, wherever it stands",
    { policies: [allow(), deny({ condition: SIGNS }), allow()], approvers: ["dan"] },
    "deny",
    ["ALLOW", "DENY_EXPLICIT", "ALLOW"],
  ],
  [
    "a DENY that does not match changes nothing",
    { policies: [deny({ condition: "activity.action == 'DELETE'" }), allow()], approvers: ["dan"] },
    "allow",
    ["DENY_IMPLICIT", "ALLOW"],
  ],
  [
    "a DENY with consensus hits whom it names",
    { policies: [allow(), deny({ consensus: AGENT })], approvers: ["dan"] },
    "deny",
    ["ALLOW", "DENY_EXPLICIT"],
  ],
  [
    "a DENY with consensus leaves others alone",
    { policies: [allow(), deny({ consensus: AGENT })], approvers: ["eva"] },
    "allow",
    ["ALLOW", "DENY_IMPLICIT"],
  ],

  // Errors.
  [
    "an ALLOW that errs does not allow",
    { policies: [allow({ condition: ABSENT })], approvers: ["dan"] },
    "deny",
    ["ERROR"],
  ],
  [
    "a DENY that errs is passed over",
    { policies: [allow(), deny({ condition: ABSENT })], approvers: ["dan"] },
    "allow",
    ["ALLOW", "ERROR"],
  ],
  [
    "nothing is cut short: false && error is an error",
    { policies: [deny({ condition: `false && ${ABSENT}` })], approvers: ["dan"] },
    "deny",
    ["ERROR"],
  ],
  [
    "nothing is cut short: true || error is an error",
    { policies: [allow({ condition: `true || ${ABSENT}` })], approvers: ["dan"] },
    "deny",
    ["ERROR"],
  ],
  [
    "an error in the consensus is one of the policy",
    { policies: [allow({ consensus: "approvers[3].id == 'dan'" })], approvers: ["dan"] },
    "deny",
    ["ERROR"],
  ],
  [
    "a policy that this release cannot read errs",
    { policies: [allow({ condition: "nothing like it" })], approvers: ["dan"] },
    "deny",
    ["ERROR"],
  ],
  [
    "a field that the activity does not show is an error",
    { policies: [allow({ condition: "activity.params.user_id == 'x'" })], approvers: ["dan"] },
    "deny",
    ["ERROR"],
  ],

  // Root quorum.
  [
    "the root quorum passes, policies are not asked",
    { policies: [deny()], approvers: ["ann", "ben"] },
    "allow",
    [],
  ],
  ["a root member short of the threshold waits", { policies: [], approvers: ["ann"] }, "consensus", []],
  [
    "a root member may act alone where an ALLOW says so",
    { policies: [allow({ consensus: "approvers.any(u, u.id == 'ann')" })], approvers: ["ann"] },
    "allow",
    ["ALLOW"],
  ],
  [
    "a DENY leaves a root member the way of the quorum",
    { policies: [allow(), deny()], approvers: ["ann"] },
    "consensus",
    ["ALLOW", "DENY_EXPLICIT"],
  ],
  [
    "policies cannot grant what is the root quorum's alone",
    { policies: [allow()], type: "UPDATE_ROOT_QUORUM", approvers: ["dan"] },
    "deny",
    [],
  ],
  [
    "what is the root quorum's alone waits for it",
    { policies: [allow()], type: "SET_ORGANIZATION_FEATURE", approvers: ["ann"] },
    "consensus",
    [],
  ],
  [
    "a default denial stands before policies",
    { policies: [allow()], type: "IMPORT_WALLET", parameters: { userId: "eva" }, approvers: ["dan"] },
    "deny",
    [],
  ],

  // Waiting activities: the submitter's vote must contribute.
  [
    "an ALLOW whose consensus is the submitter's runs at once",
    { policies: [allow({ consensus: "approvers.any(u, u.id == 'dan')" })], approvers: ["dan"] },
    "allow",
    ["ALLOW"],
  ],
  [
    "agent and admin: waits when the agent submits",
    { policies: [allow({ consensus: `${AGENT} && ${ADMIN}` })], approvers: ["dan"] },
    "consensus",
    ["REQUIRES_CONSENSUS"],
  ],
  [
    "agent and admin: waits when an admin submits",
    { policies: [allow({ consensus: `${AGENT} && ${ADMIN}` })], approvers: ["eva"] },
    "consensus",
    ["REQUIRES_CONSENSUS"],
  ],
  [
    "agent and admin: runs with both",
    { policies: [allow({ consensus: `${AGENT} && ${ADMIN}` })], approvers: ["dan", "fay"] },
    "allow",
    ["ALLOW"],
  ],
  [
    "an admin alone: denied at once when the agent submits",
    { policies: [allow({ consensus: ADMIN })], approvers: ["dan"] },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "any two: waits for anybody",
    { policies: [allow({ consensus: "approvers.count() >= 2" })], approvers: ["dan"] },
    "consensus",
    ["REQUIRES_CONSENSUS"],
  ],
  [
    "more than there are users: denied at once",
    { policies: [allow({ consensus: "approvers.count() >= 7" })], approvers: ["dan"] },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "two of a tag that one user has: denied at once",
    {
      policies: [allow({ consensus: "approvers.filter(u, u.tags.contains('agent')).count() >= 2" })],
      approvers: ["dan"],
    },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "a passkey: denied at once by an API key, though others have passkeys",
    {
      policies: [
        allow({ consensus: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')" }),
      ],
      approvers: ["dan"],
    },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "a passkey: runs by one",
    {
      policies: [
        allow({ consensus: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')" }),
      ],
      approvers: ["eva:AUTHENTICATOR"],
    },
    "allow",
    ["ALLOW"],
  ],
  [
    "two, one of them by a passkey: waits, for somebody has one",
    {
      policies: [
        allow({
          consensus:
            "approvers.count() >= 2 && credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
        }),
      ],
      approvers: ["dan"],
    },
    "consensus",
    ["REQUIRES_CONSENSUS"],
  ],
  [
    "exactly one: runs at once",
    { policies: [allow({ consensus: "approvers.count() == 1" })], approvers: ["dan"] },
    "allow",
    ["ALLOW"],
  ],
  [
    "exactly one: a second vote falsifies it",
    { policies: [allow({ consensus: "approvers.count() == 1" })], approvers: ["dan", "eva"] },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "an ALLOW whose condition is false does not wait",
    {
      policies: [allow({ condition: "activity.action == 'DELETE'", consensus: "approvers.count() >= 2" })],
      approvers: ["dan"],
    },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "a DENY whose consensus is not met does not wait",
    { policies: [deny({ consensus: "approvers.count() >= 2" })], approvers: ["dan"] },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "one ALLOW applies while another waits",
    { policies: [allow({ consensus: "approvers.count() >= 2" }), allow()], approvers: ["dan"] },
    "allow",
    ["REQUIRES_CONSENSUS", "ALLOW"],
  ],
  [
    "an ALLOW whose search for votes exceeds its bounds does not wait",
    {
      policies: [allow({ consensus: "approvers[1].id == credentials[2].user_id || approvers.count() < 0" })],
      approvers: ["dan"],
    },
    "deny",
    ["ERROR"],
  ],

  // Own credentials and logins.
  [
    "own credentials need no policy",
    {
      policies: [allow({ condition: SIGNS })],
      type: "CREATE_API_KEYS_V2",
      parameters: { userId: "dan" },
      approvers: ["dan"],
    },
    "allow",
    ["DENY_IMPLICIT"],
  ],
  [
    "a DENY on credentials fences own ones too",
    {
      policies: [deny({ condition: "activity.resource == 'CREDENTIAL'" })],
      type: "CREATE_API_KEYS_V2",
      parameters: { userId: "dan" },
      approvers: ["dan"],
    },
    "deny",
    ["DENY_EXPLICIT"],
  ],
  [
    "an ALLOW that waits beats the own credential",
    {
      policies: [
        allow({ condition: "activity.resource == 'CREDENTIAL'", consensus: "approvers.count() >= 2" }),
      ],
      type: "CREATE_API_KEYS_V2",
      parameters: { userId: "dan" },
      approvers: ["dan"],
    },
    "consensus",
    ["REQUIRES_CONSENSUS"],
  ],
  [
    "a login needs no policy",
    { policies: [allow({ condition: SIGNS })], type: "STAMP_LOGIN", approvers: ["dan"] },
    "allow",
    ["DENY_IMPLICIT"],
  ],
  [
    "a login does not wait",
    { policies: [allow({ consensus: "approvers.count() >= 2" })], type: "STAMP_LOGIN", approvers: ["dan"] },
    "allow",
    ["REQUIRES_CONSENSUS"],
  ],
  [
    "a DENY stops logins",
    {
      policies: [deny({ condition: "activity.params.session_profile_id == ''" })],
      type: "STAMP_LOGIN",
      approvers: ["dan"],
    },
    "deny",
    ["DENY_EXPLICIT"],
  ],
  [
    "a DENY stops a root member's login, which never waits",
    {
      policies: [deny({ condition: "activity.resource == 'AUTH'" })],
      type: "STAMP_LOGIN",
      approvers: ["ann"],
    },
    "deny",
    ["DENY_EXPLICIT"],
  ],

  // Tags by id, ids.
  [
    "a tag's name is not its id",
    { policies: [allow({ consensus: "approvers.any(u, u.tags.contains('Agent'))" })], approvers: ["dan"] },
    "deny",
    ["DENY_IMPLICIT"],
  ],
  [
    "a user who has left approves nothing",
    {
      policies: [allow({ consensus: "approvers.any(u, u.id == 'gus')" })],
      approvers: ["dan", "gus"],
    },
    "deny",
    ["DENY_IMPLICIT"],
  ],
]

for (const [title, question, outcome, policies] of ROWS) {
  t.test(title, async (t) => {
    const decision = decide(decisionInput(question))
    t.same(outcomeNames(decision), policies)
    t.equal(decision.outcome, outcome)
  })
}

t.test("a denial says which policies denied", async (t) => {
  const policies = [allow(), deny(), deny({ condition: ABSENT }), deny({ condition: SIGNS })]
  const decision = decide(decisionInput({ policies, approvers: ["dan"] }))
  t.match(decision, { reason: "The following policies denied this action: p2, p4" })
  t.match(decide(decisionInput({ approvers: ["dan"] })), {
    reason: "No policies evaluated to outcome: Allow",
  })
})
