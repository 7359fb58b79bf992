import { readFileSync, rmSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { VerifiedArchive } from "../../core/backup/archive.ts"
import { edited } from "../../core/backup/fault.ts"
import { unpack } from "../../core/backup-files/file-part.ts"
import { syncFolder } from "../../core/backup-files/output.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { leaveNote } from "../../process/audit-notes.ts"
import type { CommandResult } from "../command-result.ts"
import { isCommitted, placeAll, type Place, requireUnused, scratchOf } from "../../core/backup-files/place.ts"
import {
  type ArchiveCommand,
  jsonOf,
  linesOf,
  readArchive,
  timeOf,
} from "../../core/backup-files/read-archive.ts"

/** `isLatest`: the operator says that the deployment has decided nothing since. */
export type RestoreCommand = { verb: "restore"; key: string; isLatest: boolean } & ArchiveCommand

/** Where a signer keeps its state. */
export type SignerPlaces = Pick<SignerConfig, "dataDirectory" | "seedFile" | "ledgerDirectory" | "audit">

/**
 * Restores the signer's part onto a host that has none. Everything is written and verified beside its place first; a command that was
 * stopped while it moved the files goes on where it was.
 */
export async function restoreBackup(command: RestoreCommand, places: SignerPlaces): Promise<CommandResult> {
  const scratch = scratchOf(places.ledgerDirectory)
  if (isCommitted(scratch)) {
    await placeAll(scratch, placesOf(places))
    const lines = [
      "an earlier restoration was finished: it had been stopped while its files were moved",
      ...NEXT,
    ]
    return { lines, json: { finishedEarlier: true } }
  }
  const { seedFile, ledgerDirectory, dataDirectory, audit } = places
  const used = [seedFile, ledgerDirectory, join(dataDirectory, "authority"), audit.directory]
  requireUnused(used, "a signer")
  const archive = await readArchive(command, BackupPartKind.SIGNER)
  rmSync(scratch, { recursive: true, force: true })
  try {
    await unpackSigner(archive, command, scratch)
    await leaveNoteIn(join(scratch, "audit"), archive, command)
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true })
    throw error
  }
  await placeAll(scratch, placesOf(places))
  const { manifest } = archive
  const end = `transaction ${manifest.sequence}, ${timeOf(manifest.madeAtMs)}`
  const loss = command.isLatest
    ? `The signer goes on from ${end}: you said that nothing was decided since.`
    : `Lost: everything that the deployment decided after ${end}.`
  const lines = ["the signer's part is restored", ...linesOf(archive), loss]
  return {
    lines: [...lines, ...(command.isLatest ? [] : NEXT)],
    json: { ...jsonOf(archive), lostAfter: end },
  }
}

/** Its stream begins with those records of the backup. The next one says that it was restored, and whether as the latest. */
async function leaveNoteIn(
  folder: string,
  { manifest }: VerifiedArchive,
  { isLatest }: RestoreCommand,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  leaveNote(folder, {
    command: "backup restore",
    outcome: isLatest ? "done-as-latest" : "done",
    atMs: Date.now(),
    subject: manifest.backupId,
  })
}

const NEXT = [
  "Next: compare restored-settings.json in the data directory with this host's settings, start the signer, and unlock it if its seed is sealed.",
  "Then countersign-signer accept-ledger: until you accept the loss, nothing is decided; after it, the signer waits 65 minutes.",
]

/** Writes the signer's part below `folder`, whole and as the manifest says. @throws {BackupFault} */
export async function unpackSigner(
  archive: VerifiedArchive,
  { key, isLatest }: Pick<RestoreCommand, "key" | "isLatest">,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await unpack(archive, { kind: BackupPartKind.SIGNER, key }, folder)
  const head = readFileSync(join(folder, "ledger", "log", "checkpoint"))
  if (!head.equals(archive.manifest.checkpoint))
    throw edited("the copied log has another head than the manifest")
  if (!isLatest) await writeFile(join(folder, "ledger", "log", "restored"), wordsOf(archive), { mode: 0o600 })
  await syncFolder(join(folder, "ledger", "log"))
}

function wordsOf({ manifest }: VerifiedArchive): string {
  return (
    `the ledger was restored from backup ${manifest.backupId} of ${timeOf(manifest.madeAtMs)}, which ends at transaction ` +
    `${manifest.sequence}; what was decided since is lost\n`
  )
}

/** The seed comes last: a ledger without it serves nothing. */
function placesOf({ dataDirectory, seedFile, ledgerDirectory, audit }: SignerPlaces): Place[] {
  return [
    { name: "authority", path: join(dataDirectory, "authority") },
    { name: "settings.json", path: join(dataDirectory, "restored-settings.json") },
    { name: "audit", path: audit.directory },
    { name: "ledger", path: ledgerDirectory },
    { name: "root-seed", path: seedFile },
  ]
}
