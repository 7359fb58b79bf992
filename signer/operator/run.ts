import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SettingsError } from "../core/settings/settings.ts"
import { readConfig } from "../enclave/config.ts"
import { terminal } from "../process/terminal.ts"
import { runCommand } from "./run-command.ts"
import { OperatorFault } from "./connection.ts"
import { readCommand, UsageFault, usage } from "./command-line.ts"

/** Exit statuses, the same as those of `countersign`. */
const DONE = 0
const FAULT = 1
const USAGE = 2

function ownVersion(): string {
  const file = join(import.meta.dirname, "..", "..", "package.json")
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version
}

/** Runs one command line of `countersign-signer`: result on standard output, all else on standard error. */
export async function run(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    const command = readCommand(words)
    switch (command.name) {
      case "help":
        usage.split("\n").forEach(terminal.print)
        return DONE
      case "version":
        terminal.print(ownVersion())
        return DONE
      case "serve":
        // The import starts it.
        await import("../enclave/main.ts")
        return DONE
      default: {
        const { lines, json } = await runCommand(command, readConfig(environment))
        for (const line of command.json ? [JSON.stringify(json)] : lines) terminal.print(line)
        return DONE
      }
    }
  } catch (error) {
    for (const line of linesOf(error)) terminal.log(line)
    if (error instanceof UsageFault || error instanceof SettingsError) return USAGE
    return error instanceof OperatorFault ? error.exitCode : FAULT
  }
}

/** Faults of words and settings are this program's own text, with lines. Other messages come from the signer. */
function linesOf(error: unknown): string[] {
  const sentence = `countersign-signer: ${error instanceof Error ? error.message : String(error)}`
  return error instanceof UsageFault || error instanceof SettingsError ? sentence.split("\n") : [sentence]
}
