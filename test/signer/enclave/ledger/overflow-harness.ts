import { DatabaseSync } from "node:sqlite"
import { runAtOnce } from "../../../../signer/core/turns/steps.ts"
import type { Ledger, LedgerRow, RowKind } from "../../../../signer/enclave/ledger/ledger.ts"
import { prefixOfShard } from "../../../../signer/enclave/ledger/overflow.ts"
import { creation, bytes, create, databaseOf } from "./harness.ts"

export const OWN_ROWS = 4
export const limits = { ownRows: OWN_ROWS }

export const row = (kind: RowKind, key: string, value = key): LedgerRow => ({
  kind,
  key,
  value: bytes(value),
})
export const rows = (count: number, kind: RowKind = "address") =>
  Array.from({ length: count }, (_, index) => row(kind, `key ${index}`))

/** Shards of a closed ledger with their numbers of rows. */
export function shardsIn(directory: string): Map<string, number> {
  const database = new DatabaseSync(databaseOf(directory), { readOnly: true })
  const counts = database.prepare("SELECT organization_id AS id, count(*) AS n FROM entry GROUP BY 1").all()
  database.close()
  return new Map(counts.map(({ id, n }) => [String(id), Number(n)]))
}

export const overflowShardsOf = (organizationId: string, shards: Map<string, number>) =>
  [...shards.keys()].filter((shard) => prefixOfShard(shard)?.startsWith(`${organizationId}#`))

/** The shard of a closed ledger that contains a row of `org`. */
export function shardOf(directory: string, key: string): string {
  const database = new DatabaseSync(databaseOf(directory), { readOnly: true })
  const rows = database.prepare("SELECT organization_id AS shard FROM entry WHERE key = ?").all(key)
  database.close()
  const shards = rows.map(({ shard }) => String(shard)).filter((shard) => shard.startsWith("org"))
  if (shards.length !== 1) throw new Error(`${key} is in ${shards.length} shards`)
  return shards[0]!
}

/** Creates and closes a ledger with an organization of `count` rows. */
export async function createFilled(directory: string, count: number): Promise<void> {
  const ledger = create(directory, { limits })
  await ledger.commit([creation("org", rows(count)), creation("other", rows(2))])
  await ledger.close()
}

/** The kind of rows that are read by group. */
export const GROUPED = "wallet-account"
export const keysOf = (ledger: Ledger, group: string, atMost = 1000) =>
  runAtOnce(ledger.group("org", GROUPED, group, atMost)).map(({ key }) => key)
