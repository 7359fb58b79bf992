// The database's part in memory, for tests.
import { copyDatabase } from "../../../../services/api/backup/copy-out.ts"
import type { DatabaseHead } from "../../../../services/api/backup/content.ts"
import { restoreDatabase } from "../../../../services/api/backup/restore-database.ts"
import type { Database } from "../../../../services/database/database.ts"
import type { PartFile } from "../../../../signer/core/backup/tar.ts"
import { nextId } from "../store/sample.ts"

export const BACKUP_ID = "ab".repeat(16)
export const DEPLOYMENT = { id: nextId(), signerPublicKey: "00", notarizerPublicKey: "00" }

export type Files = Map<string, Buffer>

export async function collect(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const bytes of content) pieces.push(bytes)
  return Buffer.concat(pieces)
}

/** All files of a part. `onFile` is called before each is read. */
export async function copied(
  sql: Database,
  { exports = "/nonexistent", onFile = async (_name: string) => {} } = {},
): Promise<Files> {
  const sum = { tables: 0, rows: 0, exports: 0 }
  return copyDatabase(sql, { exports, environment: {}, copied: sum }, async (files) => {
    const read: Files = new Map()
    for await (const { name, content } of files) {
      await onFile(name)
      read.set(name, await collect(content))
    }
    return read
  })
}

/** Files of a part as a reader of the archive gives them. */
export async function* partFiles(files: Files): AsyncGenerator<PartFile> {
  for (const [name, bytes] of files) yield { name, size: bytes.length, content: inPieces(bytes) }
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}

export function restored(sql: Database, files: Files, { deploymentId = DEPLOYMENT.id } = {}) {
  const others = async (rest: AsyncIterable<PartFile>) => {
    for await (const { content } of rest) await collect(content)
  }
  return restoreDatabase(sql, partFiles(files), { backupId: BACKUP_ID, deploymentId, others })
}

export const headOf = (files: Files) => JSON.parse(files.get("database.json")!.toString()) as DatabaseHead

/** The files with another JSON in one of them. */
export function withJson<T extends object>(files: Files, name: string, change: (json: T) => object): Files {
  const json = JSON.parse(files.get(name)!.toString()) as T
  return new Map(files).set(name, Buffer.from(JSON.stringify(change(json))))
}
