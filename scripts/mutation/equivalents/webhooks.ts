import { inFolder } from "./equivalent.ts"

const AGENT = "The agent makes the connection: through it both functions send the same."
const WORDS = "A text for people."

export const webhooks = [
  ...inFolder("signer/core/modules/webhooks", {
    "balance-filter.ts": [
      {
        reason: "Either case is one spelling.",
        changes: [["address.toLowerCase()", "address.toUpperCase()"]],
      },
      {
        reason: "Of a text that does not match, none of its parts is an account.",
        changes: [
          ['""', '"Stryker was here!"'],
          ['""', '"Stryker was here!"'],
          ["[]", '["Stryker was here"]'],
        ],
      },
    ],
  }),
  ...inFolder("services/worker/webhooks", {
    "post.ts": [
      {
        reason: AGENT,
        changes: [
          ['url.protocol === "http:"', "true"],
          ['url.protocol === "http:"', "false"],
          ['url.protocol === "http:"', 'url.protocol !== "http:"'],
          ['"http:"', '""'],
        ],
      },
      { reason: "Beside an error no address is read.", changes: [['""', '"Stryker was here!"']] },
    ],
  }),
  ...inFolder("signer/core/webhook", {
    "url.ts": [
      {
        reason: WORDS,
        changes: [
          [
            '"an https URL without user, password and fragment, of at most 2048 characters, whose host is no private, "',
            '""',
          ],
          ['"loopback or link-local address and no name inside a network"', '""'],
        ],
      },
    ],
  }),
  ...inFolder("signer/enclave/modules/webhooks/calls", {
    "sign-webhooks.ts": [
      {
        reason: "Turns of others between two signatures change no signature.",
        changes: [["{ size: 8 }", "{}"]],
      },
    ],
  }),
]
