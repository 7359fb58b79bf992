import { BackupFault } from "../../signer/core/backup/fault.ts"
import { UsageFault } from "../../signer/core/command-line.ts"
import { REFUSED, startFaultOf } from "../../signer/core/settings/start-fault.ts"

const USAGE_FAULT = 2

/** Output of a command: lines for a person, or one object for a program. */
type Result = { lines: readonly string[]; json: object }

/** Runs a command about backups in this process. `resultOf`: undefined if help is asked for. */
export async function runBackupCommand(
  usage: string,
  resultOf: (words: readonly string[]) => Promise<Result | undefined>,
): Promise<void> {
  process.umask(0o077)
  const words = process.argv.slice(2)
  const isJson = words.includes("--json")
  try {
    const result = await resultOf(words)
    const text = isJson ? JSON.stringify(result?.json) : result?.lines.join("\n")
    process.stdout.write(`${result === undefined ? usage : text}\n`)
    process.exitCode = 0
  } catch (error) {
    const fault = startFaultOf(error)
    const message = fault?.sentence ?? (error as Error).message
    process.stderr.write(
      isJson ? `${JSON.stringify({ error: { message } })}\n` : `countersign-node: ${message}\n`,
    )
    process.exitCode =
      error instanceof UsageFault
        ? USAGE_FAULT
        : error instanceof BackupFault
          ? REFUSED
          : (fault?.status ?? 1)
  }
}
