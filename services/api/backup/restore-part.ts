import { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { openPart } from "../../../signer/core/backup/archive.ts"
import { readTar, skip } from "../../../signer/core/backup/tar.ts"
import { privateKeyIn } from "../../../signer/core/backup-files/input.ts"
import type { PartResult, RestorePart } from "../../../signer/core/backup-files/part-options.ts"
import { jsonOf, linesOf, readArchive, timeOf } from "../../../signer/core/backup-files/read-archive.ts"
import { counted } from "../../../signer/core/counted.ts"
import type { Database } from "../../database/database.ts"
import { RestoredExports } from "./exports-folder.ts"
import { isRestoredFrom, restoreDatabase } from "./restore-database.ts"

/**
 * Restores the database's part of a backup into an empty database, and exported files into an empty folder.
 * @throws {BackupFault} {UsageFault}
 */
export async function restorePart(sql: Database, command: RestorePart, folder: string): Promise<PartResult> {
  const archive = await readArchive(command, BackupPartKind.DATABASE)
  const { backupId, madeAtMs, sequence } = archive.manifest
  const exports = new RestoredExports(folder)
  if ((await exports.stoppedFor()) === backupId && (await isRestoredFrom(sql, backupId))) {
    await exports.place()
    const sentence =
      "an earlier restoration was finished: it had been stopped while exported files were moved"
    return { lines: [sentence], json: { finishedEarlier: true } }
  }
  exports.requireUnused()
  const part = archive.parts.get(BackupPartKind.DATABASE)!
  const files = readTar(openPart(part, privateKeyIn(command.key)))
  let exported: number | undefined
  const { tables, rows } = await restoreDatabase(sql, files, {
    backupId,
    deploymentId: archive.pins.deploymentId,
    others: async (others) => {
      exported = 0
      exported = await exports.write(others, backupId)
    },
  }).catch(async (error: unknown) => {
    if (exported !== undefined) await exports.remove()
    throw error
  })
  await exports.place()
  const copiedAt = timeOf(part.header.madeAtMs)
  const lines = [
    `the database's part is restored: ${counted(rows, "row")} of ${counted(tables, "table")}, ${counted(exported ?? 0, "exported file")}`,
    ...linesOf(archive),
    `The database is of ${copiedAt}. Lost: what it alone stored after that, such as activities that signed, and states of sends and notifications.`,
    `Transactions of the ledger up to ${sequence}, ${timeOf(madeAtMs)}: the API takes them from the restored signer at its start.`,
  ]
  return { lines, json: { ...jsonOf(archive), copiedAt, tables, rows, exported } }
}

/**
 * Restores the database's part in a transaction that is rolled back: into a schema of its own, so the database may be in use.
 * @throws {BackupFault} {UsageFault}
 */
export async function rehearsePart(sql: Database, command: RestorePart): Promise<PartResult> {
  const archive = await readArchive(command, BackupPartKind.DATABASE)
  const part = archive.parts.get(BackupPartKind.DATABASE)!
  let exported = 0
  const { tables, rows } = await restoreDatabase(sql, readTar(openPart(part, privateKeyIn(command.key))), {
    backupId: archive.manifest.backupId,
    deploymentId: archive.pins.deploymentId,
    others: async (files) => {
      for await (const { content } of files) {
        await skip(content)
        exported += 1
      }
    },
    isRehearsal: true,
  })
  const copiedAt = timeOf(part.header.madeAtMs)
  const lines = [
    `the database's part, as it was at ${copiedAt}, was restored into a schema of its own: ${counted(rows, "row")} of ${counted(tables, "table")}, ${counted(exported, "exported file")}`,
    ...linesOf(archive),
    "Everything was rolled back.",
  ]
  return { lines, json: { ...jsonOf(archive), copiedAt, tables, rows, exported } }
}
