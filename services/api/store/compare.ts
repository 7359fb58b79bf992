import type { Database } from "../../database/database.ts"

/** Versions of an organization's state in the ledger. */
export type LedgerState = { organizationId: string; documentVersion: bigint; ledgerSequence: bigint }

/** Ids of the organizations whose state in the database is older than the ledger's, or missing. */
export async function olderThanLedger(sql: Database, states: readonly LedgerState[]): Promise<string[]> {
  const ids = states.map(({ organizationId }) => organizationId)
  const rows = await sql<{ id: string; version: bigint; sequence: bigint }[]>`
    select id, version, ledger_sequence as sequence from organizations where id = any (${ids}::uuid[])`
  const known = new Map(rows.map((row) => [row.id, row]))
  return states
    .filter(({ organizationId, documentVersion, ledgerSequence }) => {
      const row = known.get(organizationId)
      return row === undefined || row.version < documentVersion || row.sequence < ledgerSequence
    })
    .map(({ organizationId }) => organizationId)
}
