// The user handle of a passkey (WebAuthn, 5.4.3): it names the organization, so that a login page need not ask for it.
import { uuidOf } from "./encoding.ts"

/** "CSD1" */
const MARK = Uint8Array.of(0x43, 0x53, 0x44, 0x31)
const ID_LENGTH = 16
/** Random bytes: an authenticator replaces a passkey of the same host and handle, and each of a user's passkeys is to stay. */
const RANDOM_LENGTH = 16

/** mark(4) || organization(16) || random(16). */
export function userHandle(organizationId: string): Uint8Array<ArrayBuffer> {
  const id = Buffer.from(organizationId.replaceAll("-", ""), "hex")
  return Uint8Array.from([...MARK, ...id, ...crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH))])
}

/** The organization that a handle names; undefined: these pages did not make it. */
export function organizationOfHandle(handle: Uint8Array): string | undefined {
  if (handle.length !== MARK.length + ID_LENGTH + RANDOM_LENGTH) return undefined
  if (!MARK.every((byte, at) => handle[at] === byte)) return undefined
  return uuidOf(handle.subarray(MARK.length, MARK.length + ID_LENGTH))
}
