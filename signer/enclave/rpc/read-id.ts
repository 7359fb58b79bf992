import { refuse } from "../../core/refusal.ts"

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether it is an id as the signer writes them: a UUID in lower case. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/**
 * The id as the ledger knows it, in lower case. What is no UUID goes no further and is not repeated.
 *
 * @throws REQUEST_INVALID
 */
export function readId(text: string, field: string): string {
  const id = text.length === 36 ? text.toLowerCase() : ""
  if (isId(id)) return id
  throw refuse("REQUEST_INVALID", `${field} must be a UUID`, { field })
}

/** Where nothing may be said, "" says it. @throws REQUEST_INVALID */
export function readOptionalId(text: string, field: string): string {
  return text === "" ? "" : readId(text, field)
}
