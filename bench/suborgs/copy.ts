import { once } from "node:events"
import type { Writable } from "node:stream"
import { finished } from "node:stream/promises"
import type { OrganizationChange } from "../../services/api/store/changes.ts"
import { closeDatabase, connectDatabase, type Database } from "../../services/database/database.ts"

/** A sub-organization as it is stored. */
export type SubOrganizationRow = OrganizationChange & { id: string; createdMs: number }

/** Fills the tables of the API tier by COPY, with the rows that its store would write one by one. */
export class Copier {
  readonly #sql: Database
  #indexes: string[] = []

  private constructor(sql: Database) {
    this.#sql = sql
  }

  static async open(databaseUrl: string): Promise<Copier> {
    const sql = connectDatabase({ url: databaseUrl }, { max: 1, statementTimeoutMs: 0 })
    await sql`set statement_timeout = 0`
    await sql`set maintenance_work_mem = '256MB'`
    // A copy lost with the machine is made again.
    await sql`set synchronous_commit = off`
    return new Copier(sql)
  }

  /** Indexes are dropped while much is written, and made as they were by `finish`. */
  async dropIndexes(): Promise<void> {
    const found = await this.#sql<{ name: string; definition: string }[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'identities' and indexname not like '%_pkey'`
    for (const { name } of found) await this.#sql`drop index ${this.#sql(name)}`
    this.#indexes = found.map(({ definition }) => definition)
  }

  async write(rows: readonly SubOrganizationRow[]): Promise<void> {
    await this.#copy(
      await this.#sql`copy organizations (id, parent_id, name, version, deleted, document, created_ms)
        from stdin`.writable(),
      rows.map(
        ({ id, parentId, name, version, deleted, document, createdMs }) =>
          `${id}\t${parentId}\t${name}\t${version}\t${deleted}\t${bytea(document)}\t${createdMs}\n`,
      ),
    )
    await this.#copy(
      await this
        .#sql`copy identities (organization_id, kind, digest, parent_id, verified) from stdin`.writable(),
      rows.map(({ id, parentId, identities }) =>
        identities
          .map(({ kind, digest, verified }) => `${id}\t${kind}\t${bytea(digest)}\t${parentId}\t${verified}\n`)
          .join(""),
      ),
    )
  }

  async finish(): Promise<void> {
    for (const definition of this.#indexes) await this.#sql.unsafe(definition)
    await this.#sql`vacuum analyze organizations`
    await this.#sql`vacuum analyze identities`
    await this.#sql`checkpoint`
    await closeDatabase(this.#sql)
  }

  async #copy(stream: Writable, lines: string[]): Promise<void> {
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      if (!stream.write(lines.slice(at, at + LINES_AT_ONCE).join(""))) await once(stream, "drain")
    }
    stream.end()
    await finished(stream)
  }
}

const LINES_AT_ONCE = 200

/** In the text format of COPY a backslash is written twice. */
function bytea(bytes: Uint8Array): string {
  return `\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`
}
