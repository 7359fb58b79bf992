// A user's own credentials, and logins.
import { allow, deny } from "./fixture.ts"
import { requireRules, type Row, SIGNS } from "./rule-rows.ts"

const ROWS: readonly Row[] = [
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
]

requireRules(ROWS)
