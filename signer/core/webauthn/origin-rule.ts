import type { ClientData } from "./client-data.ts"
import { WebauthnFault } from "./fault.ts"

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

function strange(message: string): WebauthnFault {
  return new WebauthnFault("origin", message)
}
