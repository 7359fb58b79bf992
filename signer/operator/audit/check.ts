import { accessSync, constants, statSync } from "node:fs"
import { readRecord } from "../../core/audit/record.ts"
import { type Check, ok } from "../../core/checks.ts"
import { counted } from "../../core/counted.ts"
import { auditFilesIn, auditLinesBackwards } from "../../process/audit-folder.ts"

const NAME = "audit stream"

/** Rights of all other users, and of the group to write: its members could replace records that no leaf of the log binds yet. */
const FOREIGN_RIGHTS = 0o027

/** Checks the folder of the audit stream: the signer writes there, the group reads, and no one else does either. */
export function checkAuditFolder(directory: string): Check {
  const fault = (sentence: string): Check => ({ name: NAME, state: "FAULT", sentence })
  const stat = statSync(directory, { throwIfNoEntry: false })
  if (stat === undefined) return ok(NAME, `${directory} is made at the first start`)
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return fault(
      `${directory} cannot be written by this user; make the signer's user its owner, and name it in ReadWritePaths of the signer's unit`,
    )
  }
  if ((stat.mode & FOREIGN_RIGHTS) !== 0)
    return fault(
      `${directory} has mode ${(stat.mode & 0o7777).toString(8)}, so others read or replace records; chmod g-w,o= ${directory}`,
    )
  for (const line of auditLinesBackwards(directory)) {
    const record = readRecord(line)
    if (record === undefined)
      return fault(`the last line in ${directory} is no record; audit verify says more`)
    const files = auditFilesIn(directory).length
    return ok(
      NAME,
      `${counted(record.number, "record")} up to ${record.time}, in ${counted(files, "file")} of ${directory}`,
    )
  }
  return ok(NAME, `${directory} has no record yet`)
}
