import { terminal } from "./terminal.ts"

type Fields = { [name: string]: string | number | boolean | undefined }

let service = "signer"

/** Sets the name of this process in its log lines; called at start by processes other than the signer. */
export function logAs(name: string): void {
  service = name
}

/** One JSON line on standard error. Never bodies, stamps, names, addresses or anything secret. */
export function log(level: "info" | "warn" | "error", message: string, fields: Fields = {}): void {
  const line = { time: new Date().toISOString(), level, service, message, ...fields }
  terminal.log(JSON.stringify(line))
}

/** The members of an error that may be logged: name, message and place. */
export function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: typeof error }
  return { error: error.name, reason: error.message, at: error.stack?.split("\n")[1]?.trim() }
}
