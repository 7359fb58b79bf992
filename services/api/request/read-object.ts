import { parseStrictJsonBytes } from "../../../proto/strict-json.ts"
import { invalid } from "../errors.ts"

/** The members of a body. @throws StrictJsonError, ApiError */
export function readObject(body: Buffer): { [member: string]: unknown } {
  const json = parseStrictJsonBytes(body)
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw invalid("bad request body: it is no JSON object", "", "REQUEST_MALFORMED")
  }
  return json as { [member: string]: unknown }
}
