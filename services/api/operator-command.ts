// The common part of the operator's commands on the database: their words, exit status and output (docs/OPERATIONS.md).
import { parseArgs, type ParseArgsConfig } from "node:util"
import { startFaultOf } from "../../signer/core/settings/start-fault.ts"
import { readOrExit } from "../common/settings.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { type Config, readApiConfig } from "./config.ts"

/** Options that each command has. */
const COMMON = {
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

type Options = NonNullable<ParseArgsConfig["options"]>
type Values<Own extends Options> = ReturnType<typeof parseArgs<{ options: Own & typeof COMMON }>>["values"]

export type OperatorCommand<Own extends Options, Given> = {
  usage: string
  options: Own
  /** @throws {TypeError} a sentence for the operator */
  read(values: Values<Own>, positionals: readonly string[]): Given
  run(config: Config, given: Given, output: Output): Promise<void>
}

/** Prints either lines for a person, or one object for a program. */
export type Output = { line(text: string): void; result(text: string, json: object): void }

const USAGE_FAULT = 2

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
    const config: ParseArgsConfig = {
      args: [...words],
      options: { ...COMMON, ...command.options },
      allowPositionals: true,
    }
    const { values, positionals } = parseArgs(config)
    if (values["help"] === true) {
      print(command.usage)
      return 0
    }
    given = command.read(values as Values<Own>, positionals)
  } catch (error) {
    complain(`${(error as Error).message}\n\n${command.usage}`, isJson)
    return USAGE_FAULT
  }
  const config = readOrExit(readApiConfig)
  try {
    await command.run(config, given, outputOf(isJson))
    return 0
  } catch (error) {
    const fault = databaseFaultOf(error, config.database) ?? startFaultOf(error)
    complain(fault?.sentence ?? (error as Error).message, isJson)
    return fault?.status ?? 1
  }
}

function outputOf(isJson: boolean): Output {
  return {
    line: (text) => (isJson ? undefined : print(text)),
    result: (text, json) => print(isJson ? JSON.stringify(json) : text),
  }
}

/** @throws {TypeError} if a command that takes no operand has one */
export function requireNoOperand(positionals: readonly string[]): void {
  const [first] = positionals
  if (first !== undefined) throw new TypeError(`${JSON.stringify(first)} is no option of this command`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function complain(sentence: string, isJson: boolean): void {
  const error = JSON.stringify({ error: { message: sentence } })
  process.stderr.write(isJson ? `${error}\n` : `countersign-node: ${sentence}\n`)
}
