type Fields = { [name: string]: string | number | boolean | undefined }

let service = "signer"

/** Whose lines these are; said once, at start, by a process that is not the signer. */
export function logAs(name: string): void {
  service = name
}

/** One JSON line on standard error. Never bodies, stamps, names, addresses or anything secret. */
export function log(level: "info" | "warn" | "error", message: string, fields: Fields = {}): void {
  const line = { time: new Date().toISOString(), level, service, message, ...fields }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

/** What of an error may be logged: its kind and place, and the message of errors that are ours. */
export function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: typeof error }
  return { error: error.name, reason: error.message, at: error.stack?.split("\n")[1]?.trim() }
}
