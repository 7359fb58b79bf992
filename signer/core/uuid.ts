const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The UUID of which all bits are zero (RFC 9562 section 5.9). */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000"

/** True if a text is a UUID in lower case, as ids are stored. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** The UUID in lower case; undefined: the text is no UUID. */
export function readUuid(text: string): string | undefined {
  // The length first: a request's text may be long.
  const id = text.length === NIL_UUID.length ? text.toLowerCase() : ""
  return isUuid(id) ? id : undefined
}
