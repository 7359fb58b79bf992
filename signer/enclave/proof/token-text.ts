/**
 * `header.payload` of a compact JWS (RFC 7515 section 7.1), members in the order in which they are given.
 *
 * Published clients decode the payload with a function that drops "-" and "_", and take what comes for text of one
 * byte a character. So the payload is written in ASCII, and what could make base64url differ from base64 is escaped:
 * of ASCII only ">", "?", "~" and DEL, on a third byte, give 62 or 63.
 */
export function tokenText(header: object, payload: object): string {
  return `${segment(JSON.stringify(header))}.${segment(escaped(JSON.stringify(payload)))}`
}

/** The same JSON value; all these characters stand inside strings. */
function escaped(json: string): string {
  return json.replace(/[>?~\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}

function segment(text: string): string {
  return Buffer.from(text).toString("base64url")
}
