// The files that a restoration of each part needs (docs/formats/backup.md, Content).
import { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { edited } from "../backup/fault.ts"
import { partName } from "../backup/part.ts"

const NEEDED: ReadonlyMap<BackupPartKind, readonly string[]> = new Map([
  [
    BackupPartKind.SIGNER,
    ["root-seed", "ledger/ledger.sqlite", "ledger/ledger.witness", "ledger/log/checkpoint"],
  ],
  [BackupPartKind.DATABASE, ["database.json", "rows.json"]],
  [BackupPartKind.FETCHER, ["seed"]],
  [BackupPartKind.AUTH_PROXY, ["key"]],
])

/** @throws {BackupFault} BACKUP_EDITED: a file that the part needs is not among these */
export function requireContent(kind: BackupPartKind, names: readonly string[]): void {
  const missing = NEEDED.get(kind)?.find((name) => !names.includes(name))
  if (missing !== undefined) throw edited(`the ${partName(kind)} part has no ${missing}`)
}
