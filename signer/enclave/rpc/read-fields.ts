import { refuse } from "../../core/refusal.ts"
import { readUuid } from "../../core/uuid.ts"

const MIN_NONCE_BYTES = 16
const MAX_NONCE_BYTES = 64

/** The id in lower case, as in the ledger. The refusal does not repeat other text. @throws REQUEST_INVALID */
export function readId(text: string, field: string): string {
  const id = readUuid(text)
  if (id !== undefined) return id
  throw refuse("REQUEST_INVALID", `${field} must be a UUID`, { field })
}

/** An id, or "" for none. @throws REQUEST_INVALID */
export function readOptionalId(text: string, field: string): string {
  return text === "" ? "" : readId(text, field)
}

/** The nonce that the caller chose to make a statement fresh. @throws REQUEST_INVALID */
export function readNonce(nonce: Uint8Array): Uint8Array {
  if (nonce.length >= MIN_NONCE_BYTES && nonce.length <= MAX_NONCE_BYTES) return nonce
  const sentence = `the nonce has ${MIN_NONCE_BYTES} to ${MAX_NONCE_BYTES} bytes`
  throw refuse("REQUEST_INVALID", sentence, { field: "nonce" })
}
