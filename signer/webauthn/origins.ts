import type { ClientData } from "./client-data.ts"
import { WebauthnFault } from "./fault.ts"

/**
 * The origins of a setting: one, or several with commas between them, compared as browsers write them: scheme and
 * host in lower case, no default port, no slash at the end. Origins of apps (`android:apk-key-hash:…`) stay as they are.
 *
 * A setting that names none lets nobody in: it must not be taken for one that is absent.
 */
export function readOrigins(setting: string): string[] {
  return setting.split(",").map((entry) => canonicalOrigin(entry.trim()))
}

/** Whether each origin of a setting is one: what no browser can ever say would lock everybody out. */
export function areOrigins(setting: string): boolean {
  return readOrigins(setting).every((origin) => ORIGIN.test(origin))
}

const ORIGIN = /^(?:https?:\/\/[^\s/?#@]+|(?!https?:)[a-z][a-z0-9+.-]*:[^\s,]+)$/

/**
 * Refuses a ceremony of a page that the setting does not name, also one inside a frame of such a page: what lies
 * around a frame can lead the user's hand.
 *
 * @param origins undefined: nothing is set, any origin will do
 * @throws WebauthnFault origin
 */
export function requireOrigin(
  { origin, crossOrigin, topOrigin }: ClientData,
  origins: readonly string[] | undefined,
): void {
  if (origins === undefined) return
  if (!origins.includes(origin)) throw strange("the organization does not allow passkeys from this origin")
  const isFramed = crossOrigin || topOrigin !== undefined
  if (isFramed && (topOrigin === undefined || !origins.includes(topOrigin))) {
    throw strange("the page was a frame in one that the organization does not allow")
  }
}

function canonicalOrigin(entry: string): string {
  if (!/^https?:\/\//i.test(entry) || !URL.canParse(entry)) return entry
  const { origin, href } = new URL(entry)
  return href === `${origin}/` ? origin : entry
}

function strange(message: string): WebauthnFault {
  return new WebauthnFault("origin", message)
}
