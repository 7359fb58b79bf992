import { existsSync } from "node:fs"
import type { NotedCommand } from "../../core/audit/note.ts"
import { BackupFault } from "../../core/backup/fault.ts"
import { Refusal, refuse } from "../../core/refusal.ts"
import { auditPlaceOf } from "../../enclave/config.ts"
import { leaveNote } from "../../process/audit-notes.ts"
import { terminal } from "../../process/terminal.ts"
import type { CommandResult } from "../command-result.ts"

/** A command that calls no signer. */
export type Noted = { readonly command: NotedCommand; readonly subject?: string }

/**
 * Leaves a note of a command before it begins, and another of its end, which the signer records. Before the first start of a signer there
 * is no stream, and no note. Where there is a ledger, the terminal says that the stream's folder is missing.
 * @throws AUDIT_UNWRITABLE: nothing was done, because the first note cannot be written and the settings want it
 */
export async function noted(
  { command, subject }: Noted,
  environment: NodeJS.ProcessEnv,
  work: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const { directory, ledgerDirectory, whenFull } = auditPlaceOf(environment)
  if (!existsSync(directory)) {
    if (existsSync(ledgerDirectory)) terminal.log(WITHOUT_STREAM(directory))
    return work()
  }
  const leave = (outcome: string) =>
    leaveNote(directory, { command, outcome, atMs: Date.now(), ...(subject !== undefined && { subject }) })
  try {
    leave("begun")
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "?"
    if (whenFull === "refuse") throw refuse("AUDIT_UNWRITABLE", UNWRITABLE(directory, code))
  }
  try {
    const result = await work()
    tryTo(() => leave((result.exitStatus ?? 0) === 0 ? "done" : "failed"), directory)
    return result
  } catch (error) {
    tryTo(() => leave(codeOf(error)), directory)
    throw error
  }
}

const WITHOUT_STREAM = (directory: string) =>
  `no record of this command is left: ${directory}, the folder of the audit stream, is missing. If the signer has one elsewhere, give this ` +
  "command its setting COUNTERSIGN_SIGNER_AUDIT_DIRECTORY; otherwise the signer's next start makes it"

const UNWRITABLE = (directory: string, code: string) =>
  `the note of this command cannot be written to ${directory} (${code}), so nothing was done; run it as the signer's user and make room on ` +
  "that disk, then try again"

/** What was done cannot be taken back: the first note is there. */
function tryTo(leave: () => void, directory: string): void {
  try {
    leave()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "?"
    terminal.log(`the note of this command's end cannot be written to ${directory} (${code})`)
  }
}

const codeOf = (error: unknown) =>
  error instanceof Refusal || error instanceof BackupFault ? error.code : "failed"
