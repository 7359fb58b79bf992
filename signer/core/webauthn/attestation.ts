import { type CeremonyKind, Fault } from "../fault.ts"
import { type KeyObject, verify, X509Certificate } from "node:crypto"
import { type CborMap, type CborValue, isCborMap, readCbor } from "./cbor.ts"
import { type CredentialKey, ES256, MAX_MODULUS_BITS, MIN_MODULUS_BITS, RS256 } from "./cose-key.ts"

/** An attestation object in parts (Web Authentication §6.5). */
export type AttestationObject = { format: string; statement: CborMap; authenticatorData: Uint8Array }

/** Web Authentication §8.1: 32 octets of printable ASCII at most, neither backslash nor quotation mark. */
const FORMAT = /^[\x21\x23-\x5b\x5d-\x7e]{1,32}$/

/** @throws Fault malformed */
export function readAttestationObject(bytes: Uint8Array): AttestationObject {
  const map = readCbor(bytes)
  if (!isCborMap(map) || map.size !== 3) throw malformed("it must have exactly fmt, attStmt and authData")
  const [format, statement, authenticatorData] = [map.get("fmt"), map.get("attStmt"), map.get("authData")]
  if (typeof format !== "string" || !FORMAT.test(format)) throw malformed("fmt is no format identifier")
  if (!isCborMap(statement)) throw malformed("attStmt is no map")
  if (!(authenticatorData instanceof Uint8Array)) throw malformed("authData is no byte string")
  return { format, statement, authenticatorData }
}

/**
 * Checks an attestation statement: `none` must be empty and `packed` is verified; of any other format only the name is
 * kept. None of them gives trust in the authenticator's maker: no certificate chain is checked, and a false statement
 * deceives only the user who registers.
 * @throws Fault malformed, signature
 */
export function requireSoundStatement(
  { format, statement, authenticatorData }: AttestationObject,
  clientDataHash: Uint8Array,
  key: CredentialKey,
): void {
  if (format === "none" && statement.size !== 0)
    throw malformed("a statement of the format none is not empty")
  if (format === "packed")
    requirePackedStatement(statement, Buffer.concat([authenticatorData, clientDataHash]), key)
}

/** Verification by a COSE algorithm of attestation certificates: RFC 9053 §2, RFC 8812 §2. */
type Scheme = { digest: string | null; keyType: string; curve?: string }

const schemes: ReadonlyMap<CborValue | undefined, Scheme> = new Map<CborValue | undefined, Scheme>([
  [ES256, { digest: "sha256", keyType: "ec", curve: "prime256v1" }],
  [-35, { digest: "sha384", keyType: "ec", curve: "secp384r1" }],
  [-36, { digest: "sha512", keyType: "ec", curve: "secp521r1" }],
  [RS256, { digest: "sha256", keyType: "rsa" }],
  [-8, { digest: null, keyType: "ed25519" }],
])

/** Exponent of RSA keys. With one as long as the modulus a verification takes a hundred times as long. */
const EXPONENT = 65537n

/**
 * Verifies a statement of the format `packed` (Web Authentication §8.2): signed with the credential's own key, or with
 * the first certificate's key. The certificate's chain and other contents are ignored.
 * @param signed authenticator data || SHA-256(client data)
 * @throws Fault malformed, signature
 */
function requirePackedStatement(statement: CborMap, signed: Uint8Array, key: CredentialKey): void {
  const [algorithm, signature, chain] = [statement.get("alg"), statement.get("sig"), statement.get("x5c")]
  if (!(signature instanceof Uint8Array)) throw malformedPacked("sig is no byte string")
  const isSelfSigned = chain === undefined
  if (statement.size !== (isSelfSigned ? 2 : 3)) throw malformedPacked("it has members that are not used")
  if (isSelfSigned && algorithm !== key.algorithm)
    throw new Fault("signature", "the attestation names another algorithm than the credential's key")
  const scheme = schemes.get(algorithm)
  if (scheme === undefined) throw malformedPacked("alg is no algorithm that is verified here")
  const signer = isSelfSigned ? key.key : certifiedKey(chain, scheme)
  if (!verify(scheme.digest, signed, signer, signature))
    throw new Fault("signature", "the signature of the attestation does not verify")
}

function certifiedKey(chain: CborValue, scheme: Scheme): KeyObject {
  const first = Array.isArray(chain) ? chain[0] : undefined
  // A SEQUENCE, as DER begins: Node would read PEM as well.
  if (!(first instanceof Uint8Array) || first[0] !== 0x30)
    throw malformedPacked("x5c is no list of certificates")
  let key: KeyObject
  try {
    key = new X509Certificate(first).publicKey
  } catch (cause) {
    throw malformedPacked("its first certificate cannot be read", cause)
  }
  if (fits(key, scheme)) return key
  throw new Fault("signature", "the attestation names another algorithm than its certificate's key")
}

/** True if a key is of the algorithm that the statement names, and of a size that is verified quickly. */
function fits({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, { keyType, curve }: Scheme): boolean {
  const { namedCurve, modulusLength, publicExponent } = asymmetricKeyDetails ?? {}
  const isSized =
    modulusLength === undefined || (modulusLength >= MIN_MODULUS_BITS && modulusLength <= MAX_MODULUS_BITS)
  const isUsual = publicExponent === undefined || publicExponent === EXPONENT
  return asymmetricKeyType === keyType && namedCurve === curve && isSized && isUsual
}

function malformed(why: string): Fault<CeremonyKind> {
  return new Fault("malformed", `the attestation object cannot be read: ${why}`)
}

function malformedPacked(why: string, cause?: unknown): Fault<CeremonyKind> {
  return new Fault("malformed", `the packed attestation statement cannot be read: ${why}`, undefined, cause)
}
