import { REFUSED, StartError } from "../settings/start-fault.ts"

/** Names of faults of a backup. They are stable, and begin the sentence that people read. */
export type BackupFaultName =
  /** The bytes end before the backup does, or do not begin one. */
  | "BACKUP_TORN"
  /** Bytes are not those that were written. */
  | "BACKUP_EDITED"
  /** The backup, or a part, belongs to another deployment. */
  | "BACKUP_FOREIGN"
  /** A part is of another backup, or was given twice. */
  | "BACKUP_MIXED"
  /** A part or the manifest was not given. */
  | "BACKUP_INCOMPLETE"
  /** A newer state of the deployment is known. */
  | "BACKUP_OLDER"
  /** A later release made it. */
  | "BACKUP_FORMAT_UNKNOWN"
  /** The key opens no part. */
  | "BACKUP_KEY_WRONG"
  /** The place of the restoration is in use. */
  | "BACKUP_TARGET_USED"

/** A backup cannot be used, or not here. Nothing was changed. */
export class BackupFault extends StartError {
  readonly code: BackupFaultName

  /** @param sentence what is wrong, and what to do */
  constructor(code: BackupFaultName, sentence: string, options?: ErrorOptions) {
    super(REFUSED, `${code}: ${sentence}`, options)
    this.name = "BackupFault"
    this.code = code
  }
}

export const torn = (where: string) =>
  new BackupFault("BACKUP_TORN", `${where}. The copy is not whole: fetch it again, or take another backup`)

export const edited = (where: string) =>
  new BackupFault(
    "BACKUP_EDITED",
    `${where}. Nothing of it can be relied upon: take another copy of this backup, or another backup`,
  )
