import { inFolder } from "./equivalent.ts"

const WIPED = "Bytes that are wiped were used before: no result shows that they are gone."

/** Tokens, invitations and codes of other providers. */
export const logins = [
  ...inFolder("signer/enclave/execution/steps", {
    "token-use.ts": [
      {
        reason: "Every change of this step puts one row.",
        changes: [
          ["[]", '["Stryker was here"]'],
          [
            "put.every(({ kind, key }) => ledger.row(shard, kind, key) === undefined)",
            "put.some(({\n  kind,\n  key\n}) => ledger.row(shard, kind, key) === undefined)",
          ],
        ],
      },
      {
        reason: "A stamp by a key has no scheme of a contact.",
        changes: [['stamp.kind !== "attested"', "false"]],
      },
      {
        reason: "Any name but that of otp_login keeps votes apart from logins.",
        changes: [['"otp-vote"', '""']],
      },
    ],
  }),
  ...inFolder("signer/enclave/organization", {
    "invitation-state.ts": [
      {
        reason: "Of invitations that ended in the same millisecond either may leave the list.",
        changes: [["b.updatedAtMs < a.updatedAtMs", "b.updatedAtMs <= a.updatedAtMs"]],
      },
      {
        reason: "No invitation has an empty address: the search finds none as well.",
        changes: [
          ['email === ""', "false"],
          ['""', '"Stryker was here!"'],
        ],
      },
    ],
    "invitations.ts": [
      {
        reason: "otp_login, which accepts, marks the contact as proven as well.",
        changes: [["true", "false"]],
      },
    ],
  }),
  ...inFolder("signer/fetcher/oauth2", {
    "ask-provider.ts": [
      { reason: "A request without a body has no content type.", changes: [["body !== undefined", "true"]] },
    ],
    "exchange.ts": [
      {
        reason: WIPED,
        changes: [
          ["[opened]", "[]"],
          ["[text]", "[]"],
        ],
      },
    ],
  }),
]
