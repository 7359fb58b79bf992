import t from "tap"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { allow, decisionInput, deny } from "./fixture.ts"
import { ABSENT, AGENT, LONG_PAST, NOW, requireRules, type Row, SIGNS } from "./rule-rows.ts"

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

requireRules(ROWS)

t.test("a denial says which policies denied", async (t) => {
  const policies = [allow(), deny(), deny({ condition: ABSENT }), deny({ condition: SIGNS })]
  const decision = decide(decisionInput({ policies, approvers: ["dan"] }))
  t.match(decision, { reason: "The following policies denied this action: p2, p4" })
  t.match(decide(decisionInput({ approvers: ["dan"] })), {
    reason: "No policies evaluated to outcome: Allow",
  })
})
