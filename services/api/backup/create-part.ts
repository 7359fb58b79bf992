import { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { type PartCommand, writePart } from "../../../signer/core/backup-files/make-part.ts"
import type { PartResult } from "../../../signer/core/backup-files/part-options.ts"
import { counted } from "../../../signer/core/counted.ts"
import { ownVersion } from "../../common/own-version.ts"
import type { Database } from "../../database/database.ts"
import { type Copied, copyDatabase } from "./copy-out.ts"

/** Copies the database and the exported files of a folder to a file with one part. */
export async function createPart(sql: Database, command: PartCommand, exports: string): Promise<PartResult> {
  const copied: Copied = { tables: 0, rows: 0, exports: 0 }
  const terms = { kind: BackupPartKind.DATABASE, release: ownVersion(), nowMs: Date.now() }
  const { backupId, out } = command
  const { size, holders } = await copyDatabase(sql, { exports, environment: process.env, copied }, (files) =>
    writePart(command, terms, files),
  )
  const lines = [
    `${out}: the database's part of backup ${backupId}`,
    `${counted(copied.rows, "row")} of ${counted(copied.tables, "table")}, ${counted(copied.exports, "exported file")}; ${counted(holders, "holder")} can open it`,
    `Next, on the signer's host: countersign-signer backup create --out FILE with this file. Parts of other hosts: --id ${backupId}`,
  ]
  return { lines, json: { file: out, backupId, bytes: size, ...copied } }
}
