import { readJsonObject } from "../../../proto/strict-json.ts"
import { WebauthnFault } from "./fault.ts"

/** The browser's statement about a ceremony (Web Authentication §5.8.1). */
export type ClientData = {
  type: string
  /** base64url without padding, as the browser wrote it. */
  challenge: string
  /** Origin of the page that called. */
  origin: string
  /** Whether the page was in a frame of a page of another origin. */
  crossOrigin: boolean
  /** Origin of the outermost page; browsers give it only for frames. */
  topOrigin: string | undefined
}

/** Today's browsers nest members two deep. */
const MAX_DEPTH = 8

/**
 * Reads clientDataJSON: strict JSON, no member twice. Members that are not known are ignored, as the standard asks.
 *
 * @throws WebauthnFault malformed
 */
export function readClientData(bytes: Uint8Array): ClientData {
  const fault = (reason: string, cause?: unknown) => malformed(`it ${reason}`, cause)
  const json = readJsonObject(bytes, fault, { maxDepth: MAX_DEPTH })
  const { type, challenge, origin, crossOrigin = false, topOrigin } = json
  if (typeof type !== "string" || typeof challenge !== "string" || typeof origin !== "string")
    throw malformed("type, challenge or origin is missing or no string")
  if (typeof crossOrigin !== "boolean") throw malformed("crossOrigin is neither true nor false")
  if (topOrigin !== undefined && typeof topOrigin !== "string") throw malformed("topOrigin is no string")
  return { type, challenge, origin, crossOrigin, topOrigin }
}

function malformed(why: string, cause?: unknown): WebauthnFault {
  return new WebauthnFault("malformed", `client data cannot be read: ${why}`, cause)
}
