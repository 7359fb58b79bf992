import { CommanderError } from "commander"
import { CliError, ExitCode } from "./exit.ts"
import { buildProgram } from "./program.ts"
import { type Terminal, terminal } from "./terminal.ts"

/** Runs one command line and tells the exit status. Faults become one sentence; stacks only with DEBUG. */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
  out: Terminal = terminal,
): Promise<number> {
  try {
    await buildProgram(environment, out).parseAsync(words, { from: "user" })
    return ExitCode.done
  } catch (error) {
    // Commander has said what was wrong; it throws for --help and --version as well.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage
    out.talk(`countersign: ${error instanceof Error ? error.message : String(error)}`)
    if (environment.DEBUG) out.talk(String(error instanceof Error ? error.stack : error))
    return error instanceof CliError ? error.code : ExitCode.fault
  }
}
