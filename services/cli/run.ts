import { CommanderError } from "commander"
import { CliError, ExitCode } from "./exit.ts"
import { buildProgram } from "./program.ts"
import { openTerminal } from "../../signer/core/terminal.ts"
import { standardOutput, type Terminal } from "./terminal.ts"

/** Runs one command line and returns its exit status. Prints a fault as one sentence; the stack only with DEBUG. */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
  output: Terminal = standardOutput,
): Promise<number> {
  const terminal = openTerminal(output)
  try {
    await buildProgram(environment, terminal).parseAsync(words, { from: "user" })
    return ExitCode.done
  } catch (error) {
    // Commander has printed the fault. It also throws for --help and --version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage
    const [first, ...others] = linesOf(error)
    for (const line of [`countersign: ${first}`, ...others]) terminal.log(line)
    if (environment.DEBUG) for (const line of stackOf(error)) terminal.log(line)
    return error instanceof CliError ? error.code : ExitCode.fault
  }
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof CliError) return error.lines
  return [error instanceof Error ? error.message : String(error)]
}

/** The places of the stack, without the message, which can hold anything. */
function stackOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  return stack.split("\n").filter((line) => line.startsWith("    at "))
}
