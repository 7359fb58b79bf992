import { type CeremonyKind, Fault } from "../fault.ts"
import { canonicalOrigin } from "../auth-proxy/origins.ts"
import { parseStrictJson, readJsonObject } from "../../../proto/strict-json.ts"
import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** The browser's statement about a ceremony (Web Authentication §5.8.1). */
export type ClientData = {
  type: string
  /** base64url without padding, as the browser wrote it. */
  challenge: string
  origin: string
  /** True if the page was in a frame of a page of another origin. */
  crossOrigin: boolean
  /** Origin of the outermost page; browsers give it only for frames. */
  topOrigin: string | undefined
}

/** Today's browsers nest members two deep. */
const MAX_DEPTH = 8

/**
 * Reads clientDataJSON: strict JSON, no member twice. Unknown members are ignored, as the standard requires.
 * @throws Fault malformed
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

function malformed(why: string, cause?: unknown): Fault<CeremonyKind> {
  return new Fault("malformed", `client data cannot be read: ${why}`, undefined, cause)
}

/** Origins that one organization may name. */
const MAX_ORIGINS = 32

/** Native Android applications: SHA-256 of the signing certificate, base64url. */
const androidApplication = /^android:apk-key-hash:[A-Za-z0-9_-]{43}$/

/** The features of an organization document. */
type WithFeatures = { readonly features: readonly { readonly name: FeatureName; readonly value: string }[] }

/**
 * Origins that passkeys must come from, as clientDataJSON spells them (W3C Web Authentication Level 3, section
 * 5.8.1); undefined: any.
 */
export function originsOf({ features }: WithFeatures): readonly string[] | undefined {
  const feature = features.find(({ name }) => name === FeatureName.WEBAUTHN_ORIGINS)
  // Stored lists may break the rule for new ones. Each member counts by itself: a text that is no origin fits no page.
  return feature && (listedIn(feature.value) ?? []).filter((one) => typeof one === "string")
}

/**
 * Reads the origins in a new text: one, several separated by commas, or a JSON list.
 * @returns undefined when the text holds anything but origins, none, one twice, or too many
 */
export function readOrigins(text: string): readonly string[] | undefined {
  const listed = listedIn(text)
  if (listed === undefined || listed.length === 0 || listed.length > MAX_ORIGINS) return undefined
  const origins = listed.filter(isOrigin)
  return origins.length === listed.length && new Set(origins).size === origins.length ? origins : undefined
}

/**
 * Refuses a ceremony of a page whose origin the organization does not allow. For a page in a frame the outermost page must be
 * allowed too: a hostile page around a frame can trick the user into clicking.
 * @param origins undefined: the organization names none, any origin is allowed
 * @throws Fault origin
 */
export function requireOrigin(
  { origin, crossOrigin, topOrigin }: ClientData,
  origins: readonly string[] | undefined,
): void {
  if (origins === undefined) return
  if (!origins.includes(origin))
    throw foreignOrigin("the organization does not allow passkeys from this origin")
  const isFramed = crossOrigin || topOrigin !== undefined
  if (isFramed && (topOrigin === undefined || !origins.includes(topOrigin)))
    throw foreignOrigin("the outermost page is of an origin that the organization does not allow")
}

/**
 * An origin in the one spelling that clients write into clientDataJSON (HTML, "ASCII serialization of an origin"): with https, with
 * http on localhost, where alone it works, or with a scheme of their own, as browser extensions and native shells have. A pattern
 * is none: origins are compared as a whole.
 */
function isOrigin(text: unknown): text is string {
  if (typeof text !== "string") return false
  if (androidApplication.test(text)) return true
  if (text === "*" || canonicalOrigin(text) !== text) return false
  return !text.startsWith("http:") || isLocalhost(new URL(text).hostname)
}

function isLocalhost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost")
}

function listedIn(text: string): readonly unknown[] | undefined {
  if (!text.trimStart().startsWith("[")) return text.split(",").map((one) => one.trim())
  try {
    const value = parseStrictJson(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function foreignOrigin(message: string): Fault<CeremonyKind> {
  return new Fault("origin", message)
}
