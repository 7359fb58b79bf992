import { CommanderError } from "commander"
import { CliError, ExitCode } from "./exit.ts"
import { buildProgram } from "./program.ts"
import { type Terminal, terminal } from "./terminal.ts"

/** Runs one command line and returns its exit status. Prints a fault as one sentence; the stack only with DEBUG. */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
  out: Terminal = terminal,
): Promise<number> {
  try {
    await buildProgram(environment, out).parseAsync(words, { from: "user" })
    return ExitCode.done
  } catch (error) {
    // Commander has printed the fault. It also throws for --help and --version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage
    out.log(`countersign: ${error instanceof Error ? error.message : String(error)}`)
    if (environment.DEBUG) out.log(String(error instanceof Error ? error.stack : error))
    return error instanceof CliError ? error.code : ExitCode.fault
  }
}
