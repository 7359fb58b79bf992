import { type CborMap, isCborMap, readCbor } from "./cbor.ts"
import type { CredentialKey } from "./cose-key.ts"
import { WebauthnFault } from "./fault.ts"
import { requirePackedStatement } from "./packed.ts"

/** An attestation object in parts (Web Authentication §6.5). */
export type AttestationObject = { format: string; statement: CborMap; authenticatorData: Uint8Array }

/** Web Authentication §8.1: 32 octets of printable ASCII at most, neither backslash nor quotation mark. */
const FORMAT = /^[\x21\x23-\x5b\x5d-\x7e]{1,32}$/

/** @throws WebauthnFault malformed */
export function readAttestationObject(bytes: Uint8Array): AttestationObject {
  const map = readCbor(bytes)
  if (!isCborMap(map) || map.size !== 3) throw malformed("it has not exactly fmt, attStmt and authData")
  const [format, statement, authenticatorData] = [map.get("fmt"), map.get("attStmt"), map.get("authData")]
  if (typeof format !== "string" || !FORMAT.test(format)) throw malformed("fmt is no format identifier")
  if (!isCborMap(statement)) throw malformed("attStmt is no map")
  if (!(authenticatorData instanceof Uint8Array)) throw malformed("authData is no byte string")
  return { format, statement, authenticatorData }
}

/**
 * Checks what an attestation says about itself. `none` says nothing and `packed` is verified; a statement of any
 * other format is kept by its name and not looked at. Trust in a maker of authenticators follows from none of them:
 * no certificate chain is known here, nobody but the registering user would be deceived.
 *
 * @throws WebauthnFault malformed, signature
 */
export function requireSoundStatement(
  { format, statement, authenticatorData }: AttestationObject,
  clientDataHash: Uint8Array,
  key: CredentialKey,
): void {
  if (format === "none" && statement.size !== 0)
    throw malformed("a statement of the format none is not empty")
  if (format === "packed") {
    requirePackedStatement(statement, Buffer.concat([authenticatorData, clientDataHash]), key)
  }
}

function malformed(why: string): WebauthnFault {
  return new WebauthnFault("malformed", `the attestation object cannot be read: ${why}`)
}
