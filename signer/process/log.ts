import { LogOutput } from "../core/log-output.ts"
import { terminalText } from "../core/terminal.ts"
import { standardError } from "./standard-error.ts"

type Fields = { [name: string]: string | number | boolean | undefined }

let service = "signer"

/** Sets the name of this process in its log lines; called at start by processes other than the signer. */
export function logAs(name: string): void {
  service = name
}

type Level = "info" | "warn" | "error"

const output = new LogOutput(standardError(), (lost) => lineOf("warn", "log lines were lost", { lost }))

/** One JSON line on standard error. Never bodies, stamps, names, addresses or anything secret. */
export function log(level: Level, message: string, fields: Fields = {}): void {
  output.write(`${lineOf(level, message, fields)}\n`)
}

function lineOf(level: Level, message: string, fields: Fields): string {
  return terminalText(JSON.stringify({ time: new Date().toISOString(), level, service, message, ...fields }))
}

/** The members of an error that may be logged: name, message and place. */
export function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: typeof error }
  return { error: error.name, reason: error.message, at: error.stack?.split("\n")[1]?.trim() }
}
