import { inFolder } from "./equivalent.ts"

export const ledger = inFolder("signer/enclave/ledger", {
  "create-ledger.ts": [
    {
      reason: "Undefined is no larger than a number.",
      changes: [["sequence !== undefined", "true"]],
    },
  ],
  "fault.ts": [
    {
      reason: "It tells the compiler the type: only numbers are safe integers.",
      changes: [['typeof value === "number"', "true"]],
    },
  ],
  "group-commit.ts": [
    {
      reason: "A turn more or less of the event loop changes no result, only who waits.",
      changes: [
        ["transaction.rows.size > LONG_TRANSACTION", "false"],
        ["transaction.rows.size > LONG_TRANSACTION", "transaction.rows.size >= LONG_TRANSACTION"],
        ["[]", '["Stryker was here"]'],
      ],
    },
    {
      reason: "Shards that are being written are those of an open transaction.",
      changes: [["this.#open?.next", "this.#open.next"]],
    },
  ],
  "ledger.ts": [
    {
      reason: "A text without separator stands for the start too.",
      changes: [['""', '"Stryker was here!"']],
    },
  ],
  "local.ts": [
    {
      reason: "No shard is looked for by a text.",
      changes: [["[]", '["Stryker was here"]']],
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
  "overflow.ts": [
    {
      reason: "The text before the first separator is always there.",
      changes: [['""', '"Stryker was here!"']],
    },
  ],
  "purge.ts": [
    {
      reason: "A shard more or less in a transaction, or one written as it was, changes no result.",
      changes: [
        ["rows < PAGE_ROWS", "rows <= PAGE_ROWS"],
        ["names.length > 0", "true"],
        ["names.length > 0", "names.length >= 0"],
      ],
    },
  ],
  "shards.ts": [
    {
      reason: "The size of a cache changes no result.",
      changes: [["64 * 1024", "64 / 1024"]],
    },
    {
      reason:
        "Under no prefix, and of a shard that does not exist, nothing is found; the shorter way saves reads.",
      changes: [
        ["!this.hasOverflow(organizationId, name.kind)", "false"],
        ["shard !== undefined", "true"],
        ["shard === undefined", "false"],
        ["prefix !== undefined", "true"],
        ["prefix !== undefined", "true"],
        ["[]", '["Stryker was here"]'],
        ["prefix === undefined", "false"],
      ],
    },
    {
      reason: "A page that has a row has set it.",
      changes: [['""', '"Stryker was here!"']],
    },
  ],
  "statements.ts": [
    {
      reason: "All organizations are read when the ledger opens, before any transaction.",
      changes: [["this.beforeRead()", ";"]],
    },
  ],
  "write-transaction.ts": [
    {
      reason: "A shard that does not exist has no row; the shorter way saves a read.",
      changes: [["shard === undefined", "false"]],
    },
    {
      reason: "An assertion: every caller has put the shard into the transaction before.",
      changes: [
        ['throw new Error("rows change only within a change of their shard")', ";"],
        ["shard === undefined", "false"],
      ],
    },
  ],
})
