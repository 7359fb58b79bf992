import { type ArchiveCommand, jsonOf, linesOf, readArchive } from "../../core/backup-files/read-archive.ts"
import type { CommandResult } from "../command-result.ts"

export type VerifyCommand = { verb: "verify" } & ArchiveCommand

/** Verifies an archive without opening it: anybody can who has the pins. */
export async function verifyBackup(command: VerifyCommand): Promise<CommandResult> {
  const archive = await readArchive(command)
  return { lines: ["the backup is whole, and signed", ...linesOf(archive)], json: jsonOf(archive) }
}
