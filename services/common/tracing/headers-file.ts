import { readFileSync } from "node:fs"
import { FAULT, StartError } from "../../../signer/core/settings/start-fault.ts"
import { readPairs } from "./pairs.ts"

/**
 * Headers for the receiver from their file: `name=value` with commas or line ends in between, values percent-encoded.
 * @throws {StartError} for a file of another form; the sentence shows nothing of it
 */
export function readHeaders(file: string): Readonly<Record<string, string>> {
  const pairs = readPairs(readFileSync(file, "utf8").trim().replaceAll(/\r?\n/g, ","))
  const headers = pairs && headersOf(pairs)
  if (headers !== undefined) return headers
  throw new StartError(
    FAULT,
    `${file} does not have the form name=value,name=value of OTEL_EXPORTER_OTLP_HEADERS`,
  )
}

/** Undefined: a value has characters that no header may have. */
function headersOf(pairs: ReadonlyMap<string, string>): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(new Headers([...pairs]))
  } catch {
    return undefined
  }
}
