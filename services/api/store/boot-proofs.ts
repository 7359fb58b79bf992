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
