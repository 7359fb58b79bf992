import { parseStrictJsonBytes } from "../../../proto/strict-json.ts"
import { WebauthnFault } from "./fault.ts"

/** What the browser says about a ceremony (Web Authentication §5.8.1). */
export type ClientData = {
  type: string
  /** base64url without padding, as the browser wrote it. */
  challenge: string
  /** Origin of the page that called. */
  origin: string
  /** The page was a frame in one of another origin. */
  crossOrigin: boolean
  /** Origin of the outermost page; browsers tell it only of frames. */
  topOrigin: string | undefined
}

/** Members nest two deep in browsers of today. */
const MAX_DEPTH = 8

/**
 * Reads clientDataJSON: strict JSON, no member twice. Members that are not known are ignored, as the standard asks.
 *
 * @throws WebauthnFault malformed
 */
export function readClientData(bytes: Uint8Array): ClientData {
  const json = parse(bytes)
  const { type, challenge, origin, crossOrigin = false, topOrigin } = json
  if (typeof type !== "string" || typeof challenge !== "string" || typeof origin !== "string") {
    throw malformed("type, challenge or origin is missing or no string")
  }
  if (typeof crossOrigin !== "boolean") throw malformed("crossOrigin is neither true nor false")
  if (topOrigin !== undefined && typeof topOrigin !== "string") throw malformed("topOrigin is no string")
  return { type, challenge, origin, crossOrigin, topOrigin }
}

type Members = Partial<Record<"type" | "challenge" | "origin" | "crossOrigin" | "topOrigin", unknown>>

function parse(bytes: Uint8Array): Members {
  let json: unknown
  try {
    json = parseStrictJsonBytes(bytes, { maxDepth: MAX_DEPTH })
  } catch (cause) {
    throw malformed("it is no strict JSON", cause)
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw malformed("it is no JSON object")
  return json
}

function malformed(why: string, cause?: unknown): WebauthnFault {
  return new WebauthnFault("malformed", `client data cannot be read: ${why}`, cause)
}
