import { inFolder } from "./equivalent.ts"

export const ledger = inFolder("signer/enclave/ledger", {
  "fault.ts": [
    {
      reason: "It tells the compiler the type: only numbers are safe integers.",
      changes: [['typeof value === "number"', "true"]],
    },
  ],
  "mac.ts": [
    {
      reason: "Every item has a tag.",
      changes: [['""', '"Stryker was here!"']],
    },
    {
      reason: "The byte length of bytes is their length.",
      changes: [['typeof field === "string"', "true"]],
    },
  ],
  "trusted-clock.ts": [
    {
      reason: "A jump of no length leaves the open jump as it is.",
      changes: [["aheadMs > 0", "aheadMs >= 0"]],
    },
    {
      reason: "A clock at the ledger's highest time is never refused.",
      changes: [["wallMs < floorMs", "wallMs <= floorMs"]],
    },
  ],
})
