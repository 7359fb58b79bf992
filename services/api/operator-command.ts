// The common part of the operator's commands on the database: their words, exit status and output (docs/OPERATIONS.md).
import type { ParseArgsOptionsConfig } from "node:util"
import { excessWords, parseWords } from "../../signer/core/command-line.ts"
import { startFaultOf, USAGE } from "../../signer/core/settings/start-fault.ts"
import { NODE_PROGRAM, sayFault } from "../common/program.ts"
import { readOrExit } from "../common/settings.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { type ApiSettings, readApiConfig } from "./config.ts"

/** Options that each command has. */
const COMMON = {
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

type Options = ParseArgsOptionsConfig
type Values<Own extends Options> = ReturnType<typeof parseWords<Own & typeof COMMON>>["values"]

export type OperatorCommand<Own extends Options, Given> = {
  /** Words before its options: `db prune`. */
  name: string
  usage: string
  options: Own
  /** @throws {UsageFault} */
  read(values: Values<Own>, positionals: readonly string[]): Given
  run(config: ApiSettings, given: Given, output: Output): Promise<void>
}

/** Prints either lines for a person, or one object for a program. */
export type Output = { line(text: string): void; result(text: string, json: object): void }

/** Runs the command of this process; its exit status says how it ended. */
export async function runOperatorCommand<Own extends Options, Given>(
  command: OperatorCommand<Own, Given>,
): Promise<void> {
  process.umask(0o077)
  process.exitCode = await statusOf(command, process.argv.slice(2))
}

async function statusOf<Own extends Options, Given>(
  command: OperatorCommand<Own, Given>,
  words: readonly string[],
): Promise<number> {
  const isJson = words.includes("--json")
  let given: Given
  try {
    const program = `countersign-node ${command.name}`
    const { values, positionals } = parseWords(words, { ...COMMON, ...command.options }, program)
    if ((values as { help?: boolean }).help === true) {
      print(command.usage)
      return 0
    }
    given = command.read(values, positionals)
  } catch (error) {
    return complain((error as Error).message, USAGE)
  }
  const config = readOrExit(readApiConfig)
  try {
    await command.run(config, given, outputOf(isJson))
    return 0
  } catch (error) {
    const fault = databaseFaultOf(error, config.database) ?? startFaultOf(error)
    return complain(fault?.sentence ?? (error as Error).message, fault?.status ?? 1)
  }
}

function outputOf(isJson: boolean): Output {
  return {
    line: (text) => (isJson ? undefined : print(text)),
    result: (text, json) => print(isJson ? JSON.stringify(json) : text),
  }
}

/** @throws {UsageFault} if a command that takes no operand has one */
export function requireNoOperand(positionals: readonly string[], command: string): void {
  if (positionals.length > 0) throw excessWords(positionals, command, `countersign-node ${command}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** @returns the exit status */
function complain(sentence: string, status: number): number {
  sayFault(sentence, status, NODE_PROGRAM)
  return status
}
