import { type CeremonyKind, Fault } from "../fault.ts"
import { isCborMap, readCborItem } from "./cbor.ts"
import { MAX_CREDENTIAL_ID_LENGTH } from "./credential-id.ts"

/** An authenticator's statement about a ceremony (Web Authentication §6.1): the members that are used here. */
export type AuthenticatorData = {
  /** SHA-256 of the relying party's id, 32 bytes. */
  rpIdHash: Uint8Array
  isUserPresent: boolean
  /** True if the authenticator verified its user, by PIN, finger or face. */
  isUserVerified: boolean
  /** Present only in registrations. */
  credential: AttestedCredential | undefined
}

export type AttestedCredential = {
  /** Model of the authenticator, 16 bytes. */
  aaguid: Uint8Array
  credentialId: Uint8Array
  /** COSE_Key as sent, not read yet. */
  publicKey: Uint8Array
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const ATTESTED_CREDENTIAL = 0x40
const EXTENSIONS = 0x80

/** rpIdHash(32) || flags(1) || signCount(4). */
const HEAD_LENGTH = 37
/** aaguid(16) || credentialIdLength(2). */
const CREDENTIAL_HEAD_LENGTH = 18

/**
 * Reads `rpIdHash(32) || flags(1) || signCount(4) || [aaguid(16) || length(2) || credentialId || COSE_Key] ||
 * [extensions]`. An optional part is present exactly when its flag is set, and nothing follows the last part.
 *
 * The counter is not used: passkeys that are synchronized between devices have none. One combination of the other flags is
 * refused: backed up and not eligible for backup (§6.1.3).
 * @throws Fault malformed
 */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < HEAD_LENGTH) throw malformed("it is too short")
  const flags = bytes[32] ?? 0
  if ((flags & (BACKUP_ELIGIBLE | BACKED_UP)) === BACKED_UP)
    throw malformed("it is backed up and not eligible for backup")
  let end = HEAD_LENGTH
  let credential: AttestedCredential | undefined
  if ((flags & ATTESTED_CREDENTIAL) !== 0) ({ credential, end } = readCredential(bytes))
  if ((flags & EXTENSIONS) !== 0) end = extensionsEnd(bytes, end)
  if (end !== bytes.length) throw malformed("it holds more than its flags say")
  return {
    rpIdHash: bytes.subarray(0, 32),
    isUserPresent: (flags & USER_PRESENT) !== 0,
    isUserVerified: (flags & USER_VERIFIED) !== 0,
    credential,
  }
}

function readCredential(bytes: Uint8Array): { credential: AttestedCredential; end: number } {
  const idStart = HEAD_LENGTH + CREDENTIAL_HEAD_LENGTH
  if (bytes.length < idStart) throw malformed("it is too short for a credential")
  const length = (bytes[idStart - 2] ?? 0) * 2 ** 8 + (bytes[idStart - 1] ?? 0)
  if (length === 0 || length > MAX_CREDENTIAL_ID_LENGTH)
    throw malformed(`its credential id must have 1 to ${MAX_CREDENTIAL_ID_LENGTH} bytes`)
  const keyStart = idStart + length
  if (bytes.length < keyStart) throw malformed("it is too short for its credential id")
  const { end } = readCborItem(bytes, keyStart)
  const aaguid = bytes.subarray(HEAD_LENGTH, HEAD_LENGTH + 16)
  const credentialId = bytes.subarray(idStart, keyStart)
  return { credential: { aaguid, credentialId, publicKey: bytes.subarray(keyStart, end) }, end }
}

function extensionsEnd(bytes: Uint8Array, offset: number): number {
  const { value, end } = readCborItem(bytes, offset)
  if (!isCborMap(value)) throw malformed("its extensions are no map")
  return end
}

function malformed(why: string): Fault<CeremonyKind> {
  return new Fault("malformed", `authenticator data cannot be read: ${why}`)
}
