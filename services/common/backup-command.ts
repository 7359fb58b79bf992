import { FAULT, startFaultOf } from "../../signer/core/settings/start-fault.ts"
import { NODE_PROGRAM, sayFault } from "./program.ts"

/** Output of a command: lines for a person, or one object for a program. */
type Result = { lines: readonly string[]; json: object }

/** Runs a command about backups in this process. `resultOf`: undefined if help is asked for. */
export async function runBackupCommand(
  usage: string,
  resultOf: (words: readonly string[]) => Promise<Result | undefined>,
): Promise<void> {
  process.umask(0o077)
  const words = process.argv.slice(2)
  try {
    const result = await resultOf(words)
    const text = words.includes("--json") ? JSON.stringify(result?.json) : result?.lines.join("\n")
    process.stdout.write(`${result === undefined ? usage : text}\n`)
    process.exitCode = 0
  } catch (error) {
    const fault = startFaultOf(error)
    process.exitCode = fault?.status ?? FAULT
    sayFault(fault?.sentence ?? (error as Error).message, process.exitCode, NODE_PROGRAM)
  }
}
