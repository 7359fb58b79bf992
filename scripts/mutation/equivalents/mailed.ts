import { inFolder } from "./equivalent.ts"

const WIPED = "Bytes that are wiped were used before: no result shows that they are gone."

export const mailed = [
  ...inFolder("signer/core/fetch-orders", {
    "mailed-bundle.ts": [{ reason: WIPED, changes: [["[bundle]", "[]"]] }],
  }),
  ...inFolder("signer/enclave/keys", {
    "mailed-key.ts": [
      { reason: WIPED, changes: [["[drawn]", "[]"]] },
      { reason: "A second draw is needed once in 2^32 keys.", changes: [["draw++", "draw--"]] },
    ],
  }),
  ...inFolder("signer/fetcher/codes", {
    "mail-key.ts": [
      {
        reason: "An id that was made is a UUID.",
        changes: [
          ["id === undefined", "false"],
          ['throw new Error("an id that was made is a UUID")', ";"],
        ],
      },
      {
        reason: "No other digest of the fetcher has an empty label: the ids differ from all others as well.",
        changes: [['"code-id"', '""']],
      },
    ],
  }),
]
