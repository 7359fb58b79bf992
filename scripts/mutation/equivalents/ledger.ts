import { inFolder } from "./equivalent.ts"

export const ledger = inFolder("signer/enclave/ledger", {
  "sqlite/long-writer.ts": [
    {
      reason: "The thread answers only what it was asked.",
      changes: [
        ["asked?.resolve", "asked.resolve"],
        ["asked?.reject", "asked.reject"],
      ],
    },
  ],
  "sqlite/writer-thread.ts": [
    {
      reason: "The file is loaded as a thread, which has this port.",
      changes: [
        ["parentPort?.on", "parentPort.on"],
        ["parentPort?.postMessage", "parentPort.postMessage"],
        ["parentPort?.close", "parentPort.close"],
      ],
    },
    {
      reason: "A thread that ends closes its connections too.",
      changes: [["connection.close()", ";"]],
    },
  ],
  "create-ledger.ts": [
    {
      reason: "Undefined is no larger than a number.",
      changes: [["sequence !== undefined", "true"]],
    },
  ],
  "sqlite/connection.ts": [
    {
      reason: "These are the library's defaults.",
      changes: [["{ timeout: 0, allowExtension: false, enableDoubleQuotedStringLiterals: false }", "{}"]],
    },
    {
      reason: "SQLite always answers this pragma.",
      changes: [
        [
          'connection.prepare("PRAGMA lock.page_count").get()?.["page_count"]',
          'connection.prepare("PRAGMA lock.page_count").get()["page_count"]',
        ],
      ],
    },
  ],
  "deployment.ts": [
    {
      reason: "A name that is there twice changes the sum, which the MAC covers.",
      changes: [["Buffer.compare(previous, name) >= 0", "Buffer.compare(previous, name) > 0"]],
    },
  ],
  "sqlite/schema.ts": [
    {
      reason: "SQLite always answers this pragma.",
      changes: [
        [
          'guardRead(() => connection.prepare("PRAGMA user_version").get())?.["user_version"]',
          'guardRead(() => connection.prepare("PRAGMA user_version").get())["user_version"]',
        ],
      ],
    },
  ],
  "sqlite/fault.ts": [
    {
      reason: "It tells the compiler the type: only numbers are safe integers.",
      changes: [['typeof value === "number"', "true"]],
    },
  ],
  "group-commit.ts": [
    {
      reason: "A turn more or less of the event loop changes no result, only who waits.",
      changes: [
        ["transaction.rows.size > LONG_TRANSACTION", "transaction.rows.size >= LONG_TRANSACTION"],
        ["[]", '["Stryker was here"]'],
      ],
    },
    {
      reason: "A turn that finds nothing queued writes nothing.",
      changes: [
        ["this.#isScheduled", "false"],
        ["true", "false"],
      ],
    },
    {
      reason: "The number is only compared with an earlier one.",
      changes: [["this.#timeResets += 1", "this.#timeResets -= 1"]],
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
      reason:
        "A shard that is not verified before the transaction is verified within it: only who waits changes.",
      changes: [["[...mustBeAbsent, ...remove, ...put]", "[]"]],
    },
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
      reason: "Undefined is not at or before any time.",
      changes: [["expiresMs !== undefined", "true"]],
    },
    {
      reason: "A shard more or less in a transaction, or one written as it was, changes no result.",
      changes: [
        ["rows < PAGE_ROWS", "rows <= PAGE_ROWS"],
        ["from < byShard.length", "from <= byShard.length"],
        ["names.length > 0", "true"],
        ["names.length > 0", "names.length >= 0"],
      ],
    },
  ],
  "sqlite/statements.ts": [
    {
      reason: "A statement that is prepared again is the same; keeping it saves time only.",
      changes: [
        ["prepared !== undefined", "false"],
        ["this.#prepared.set(sql, statement)", ";"],
      ],
    },
  ],
  "shards.ts": [
    {
      reason:
        "What a cache holds, and how much, changes no result: a row that is read again is verified again.",
      changes: [
        ["64 * 1024", "64 / 1024"],
        ["64 * 1024 * 1024", "64 * 1024 / 1024"],
        ["cached !== undefined", "false"],
        [
          "{\n    this.#rows.set(name, { value }, ROW_OVERHEAD + name.length + (value?.length ?? 0))\n  }",
          "{}",
        ],
        [
          "ROW_OVERHEAD + name.length + (value?.length ?? 0)",
          "ROW_OVERHEAD + name.length - (value?.length ?? 0)",
        ],
        ["ROW_OVERHEAD + name.length", "ROW_OVERHEAD - name.length"],
        ["value?.length ?? 0", "value?.length && 0"],
      ],
    },
    {
      reason: "Keys of one kind are all different.",
      changes: [["a.key < b.key", "a.key <= b.key"]],
    },
    {
      reason: "A row of an organization or of a shard stays in the file for good.",
      changes: [
        ["now === undefined", "false"],
        ["(yield* this.#verifyOverflow(shard))?.rowCount", "(yield* this.#verifyOverflow(shard)).rowCount"],
      ],
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
        ["prefix !== undefined && this.#overflowPrefixes.has(prefix)", "true"],
        [
          "prefix !== undefined && this.#overflowPrefixes.has(prefix)",
          "prefix !== undefined || this.#overflowPrefixes.has(prefix)",
        ],
        ["this.hasOverflow(organizationId, kind)", "true"],
        ["!this.#overflowPrefixes.has(prefix)", "false"],
        ["[]", '["Stryker was here"]'],
        ["[]", '["Stryker was here"]'],
        ["prefix === undefined", "false"],
      ],
    },
    {
      reason: "A page that has a row has set it.",
      changes: [['""', '"Stryker was here!"']],
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
        ["this.shards.get(organizationId)?.rowCount", "this.shards.get(organizationId).rowCount"],
      ],
    },
    {
      reason: "A row of no organization fails its own verification.",
      changes: [["current === undefined", "false"]],
    },
    {
      reason: "A kind without overflow shards has none; the shorter way saves time only.",
      changes: [["overflow === undefined", "false"]],
    },
    {
      reason: "What is computed or verified again is the same; keeping it saves time only.",
      changes: [
        ["this.#overflowShards.has(name)", "false"],
        ["this.#overflowShards.set(name, shard)", ";"],
        ["written !== undefined", "false"],
      ],
    },
    {
      reason: "Rows are changed in nested transactions only.",
      changes: [["this.#outer?.rows", "this.#outer.rows"]],
    },
    {
      reason: "Only the name of a row that is removed is read.",
      changes: [["{ kind, key }", "{}"]],
    },
  ],
})
