import { CommanderError } from "commander"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import { programFor } from "./program.ts"
import { openTerminal } from "../../signer/core/terminal.ts"
import { withOwnCommands } from "../terminal-client/release-commands.ts"
import { standardOutput, type Terminal } from "../terminal-client/terminal.ts"

/**
 * Runs one command line and returns its exit status. Prints a fault as one sentence, and with --json as one line of JSON;
 * the stack only with DEBUG.
 */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
  output: Terminal = standardOutput,
): Promise<number> {
  const isJson = words.includes("--json")
  const terminal = openTerminal(isJson ? output : withOwnWords(output))
  try {
    const logFault = isJson ? () => undefined : terminal.log
    const program = await programFor(words, { environment, terminal, logFault })
    await program.parseAsync(afterCommand(words), { from: "user" })
    return ExitCode.done
  } catch (error) {
    // Commander also throws for --help and --version.
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.done
    const exitStatus = statusOf(error)
    if (isJson) terminal.log(JSON.stringify({ error: { exitStatus, ...errorMembers(error) } }))
    else for (const line of printedLines(error)) terminal.log(line)
    if (environment.DEBUG) for (const line of stackOf(error)) terminal.log(line)
    return exitStatus
  }
}

/** Lines for people name the programs that are here. */
function withOwnWords({ print, log }: Terminal): Terminal {
  return { print: (line) => print(withOwnCommands(line)), log: (line) => log(withOwnCommands(line)) }
}

/** The words with a leading --json at their end: it is an option of each command. */
function afterCommand(words: readonly string[]): readonly string[] {
  return words[0] === "--json" ? [...words.slice(1), "--json"] : words
}

function statusOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return ExitCode.usage
  return error instanceof CliError ? error.code : ExitCode.fault
}

/** Members of a fault for programs; `reply` is the API's error body. */
function errorMembers(error: unknown) {
  const [message, ...lines] = linesOf(error)
  const { reason, reply } = error instanceof CliError ? error : {}
  return {
    message,
    ...(lines.length > 0 && { lines }),
    ...(reason && { reason }),
    ...(reply !== undefined && { reply }),
  }
}

function printedLines(error: unknown): string[] {
  // Commander has printed the fault.
  if (error instanceof CommanderError) return []
  const [first, ...others] = linesOf(error)
  return [`countersign: ${first}`, ...others]
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof CliError) return error.lines
  if (error instanceof CommanderError) return error.message.replace(/^error: /, "").split("\n")
  return [error instanceof Error ? error.message : String(error)]
}

/** The places of the stack, without the message, which can hold anything. */
function stackOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  return stack.split("\n").filter((line) => line.startsWith("    at "))
}
