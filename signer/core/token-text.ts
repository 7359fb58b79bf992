/**
 * `header.payload` of a compact JWS (RFC 7515 section 7.1), members in the given order.
 *
 * Published clients decode the payload with a function that drops "-" and "_" and reads one byte as one character. So the
 * payload is ASCII, and characters that would make base64url differ from base64 are escaped. In ASCII only ">", "?", "~" and
 * DEL, as a third byte, give 62 or 63.
 */
export function tokenText(header: object, payload: object): string {
  return `${segment(JSON.stringify(header))}.${segment(escaped(JSON.stringify(payload)))}`
}

/** Keeps the JSON value: these characters occur in strings only. */
function escaped(json: string): string {
  return json.replace(/[>?~\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}

function segment(text: string): string {
  return Buffer.from(text).toString("base64url")
}
