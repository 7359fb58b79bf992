import type { Room, Rooms } from "./room.ts"

export const ledgerRooms: Rooms = {
  clock: ledgerRoom(["clock-jump", "trusted-clock"], ["trusted-clock", "accepted-clock"]),
  commits: ledgerRoom(
    ["group-commit", "sqlite/log-checkpoint"],
    [
      "group-commit",
      "log-checkpoint",
      "long-writer",
      "log-size",
      "trusted-clock",
      "accepted-clock",
      "rollback",
    ],
  ),
  writer: {
    ...ledgerRoom(
      ["sqlite/long-writer", "sqlite/writer-thread", "sqlite/writes"],
      ["writer-thread", "long-writer"],
    ),
    isThreaded: true,
  },
  copy: {
    mutate: ["copy-ledger", "copy-thread"].map((name) => `signer/enclave/ledger/sqlite/${name}.ts`),
    tests: ["test/e2e/backup.test.ts"],
    isThreaded: true,
  },
  macs: ledgerRoom(["mac"], ["mac"]),
  store: ledgerRoom(
    ["over-store", "store", "refusals", "event-loop", "uint64", "sqlite/database", "sqlite/sqlite-store"],
    ["store-conformance", "stores-agree", "over-store", "create-ledger", "ledger"],
  ),
  lanes: ledgerRoom(["lanes"], ["lanes", "ledger", "rollback", "verify-shard"]),
  carried: ledgerRoom(["carry-over/carry-over", "carry-over/format-2"], ["carry-over"]),
  changes: ledgerRoom(
    ["read-change", "sqlite/fault", "verify-shard"],
    ["read-change", "fault", "verify-shard", "ledger", "damage"],
  ),
  transaction: ledgerRoom(
    ["write-transaction"],
    ["write-transaction", "ledger", "index-shards", "log-size", "overflow", "damage", "group-commit"],
  ),
  shards: ledgerRoom(
    ["shards"],
    ["ledger", "page", "overflow", "index-shards", "cache", "damage", "purge-removed", "steps"],
  ),
  index: ledgerRoom(["kept-shards", "verify-index"], ["verify-index", "cache", "index-shards"]),
  rows: ledgerRoom(
    ["ledger", "overflow"],
    ["page", "overflow", "index-shards", "deployment-rows", "ledger", "overflow-verified", "purge-removed"],
  ),
  purge: ledgerRoom(
    ["purge", "sqlite/statements"],
    ["ledger", "purge-removed", "page", "index-shards", "overflow", "damage", "create-ledger"],
  ),
  files: ledgerRoom(
    ["files", "sqlite/connection", "sqlite/schema", "deployment", "create-ledger", "local", "witness"],
    [
      "create-ledger",
      "files",
      "ledger",
      "accepted-clock",
      "page",
      "overflow",
      "purge-removed",
      "rollback",
      "steps",
    ],
  ),
}

/** Files of the ledger, with their tests. */
function ledgerRoom(files: readonly string[], tests: readonly string[]): Room {
  const folder = "enclave/ledger"
  return {
    mutate: files.map((name) => `signer/${folder}/${name}.ts`),
    tests: tests.map((name) => `test/signer/${folder}/${name}.test.ts`),
  }
}
