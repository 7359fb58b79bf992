import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import { NODE_OPTIONS } from "../common/node-options.ts"

/**
 * Runs a program until it ends, and returns its output.
 *
 * @param words file of the program, and its words
 * @throws {CliError} fault, with its text on standard error
 */
export async function outputOf(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  const run = promisify(execFile)(process.execPath, [...NODE_OPTIONS, ...words], { env: environment, signal })
  const { stdout } = await run.catch((cause: Error & { stderr?: string }) => {
    signal?.throwIfAborted()
    throw new CliError(ExitCode.fault, (cause.stderr?.trim() || cause.message).split("\n"), { cause })
  })
  return stdout.trim()
}
