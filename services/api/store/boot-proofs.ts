import type { Queries } from "../../database/database.ts"

/** A boot proof as it is stored. */
type BootProofRow = {
  /** 260 hexadecimal digits, lower case. */
  ephemeralKey: string
  /** Start of the process, Unix milliseconds. */
  createdMs: number
  /** Serialized BootProof. */
  proof: Uint8Array
}

export async function getBootProof(sql: Queries, ephemeralKey: string): Promise<Uint8Array | undefined> {
  const [row] = await sql<{ proof: Uint8Array }[]>`
    select proof from boot_proofs where ephemeral_key = ${ephemeralKey}`
  return row?.proof
}

/** A process has one boot proof: a stored one is kept. */
export async function storeBootProof(
  sql: Queries,
  { ephemeralKey, createdMs, proof }: BootProofRow,
): Promise<void> {
  await sql`
    insert into boot_proofs (ephemeral_key, created_ms, proof) values (${ephemeralKey}, ${createdMs}, ${proof})
    on conflict do nothing`
}

/** Records that the process with this key made an app proof now. */
export async function noteBootProofUse(sql: Queries, ephemeralKey: string, nowMs: number): Promise<void> {
  await sql`
    update boot_proofs set last_used_ms = ${nowMs} where ephemeral_key = ${ephemeralKey} and last_used_ms < ${nowMs}`
}

/** Longest delay of a recorded use, milliseconds. */
export const USE_RECORDED_MS = 600_000

/**
 * Removes the boot proofs of processes that made their last app proof before `beforeMs`, once activities of that time were
 * removed. Activities of that time that wait for votes, or whose transaction is under way, remain, and so do the boot proofs
 * that they may need. Returns the number of removed ones.
 */
export async function removeUnusedBootProofs(sql: Queries, beforeMs: number): Promise<number> {
  const { count } = await sql`
    delete from boot_proofs where last_used_ms < least(
      ${beforeMs}::bigint,
      (select min(created_ms) from activities
        where status in ('ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')),
      (select min(created_ms) from sends where status in ('INITIALIZED', 'BROADCASTING') or unsettled)
    ) - ${USE_RECORDED_MS}::bigint`
  return count
}
