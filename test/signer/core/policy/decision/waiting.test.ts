// Activities that wait for votes: the submitter's vote must contribute.
import { allow, deny } from "./fixture.ts"
import { ADMIN, AGENT, requireRules, type Row } from "./rule-rows.ts"

const ROWS: readonly Row[] = [
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
]

requireRules(ROWS)
