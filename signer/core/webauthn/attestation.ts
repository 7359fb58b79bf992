import { type CeremonyKind, Fault } from "../fault.ts"
import { type KeyObject, verify, X509Certificate } from "node:crypto"
import { type CborMap, type CborValue, isCborMap, readCbor } from "./cbor.ts"
import { type CredentialKey, EDDSA, ES256, MAX_MODULUS_BITS, MIN_MODULUS_BITS, RS256 } from "./cose-key.ts"

/** One attestation statement and its format. */
type Attestation = { format: string; statement: CborMap }

/** An attestation object in parts (Web Authentication §6.5). `statements`: of the format `compound` several, else one. */
export type AttestationObject = {
  format: string
  statements: readonly Attestation[]
  authenticatorData: Uint8Array
}

/** Web Authentication §8.1: 32 octets of printable ASCII at most, neither backslash nor quotation mark. */
const FORMAT = /^[\x21\x23-\x5b\x5d-\x7e]{1,32}$/

const COMPOUND = "compound"

/** Members that are not used, such as `epAtt` of CTAP, are ignored. @throws Fault malformed */
export function readAttestationObject(bytes: Uint8Array): AttestationObject {
  const map = readCbor(bytes)
  if (!isCborMap(map)) throw malformed("it is no map")
  const authenticatorData = map.get("authData")
  if (!(authenticatorData instanceof Uint8Array)) throw malformed("authData is no byte string")
  const format = formatOf(map)
  const statements = format === COMPOUND ? readCompound(map.get("attStmt")) : [readAttestation(map)]
  return { format, statements, authenticatorData }
}

/** The statements of a compound one: two or more, none of them compound (Web Authentication Level 3, §8.9). */
function readCompound(list: CborValue | undefined): Attestation[] {
  if (!Array.isArray(list) || list.length < 2)
    throw malformed("a compound statement is no list of two or more statements")
  return list.map((one) => {
    if (!isCborMap(one)) throw malformed("a part of its compound statement is no map")
    const attestation = readAttestation(one)
    if (attestation.format === COMPOUND) throw malformed("its compound statement holds another one")
    return attestation
  })
}

function readAttestation(map: CborMap): Attestation {
  const statement = map.get("attStmt")
  if (!isCborMap(statement)) throw malformed("attStmt is no map")
  return { format: formatOf(map), statement }
}

function formatOf(map: CborMap): string {
  const format = map.get("fmt")
  if (typeof format === "string" && FORMAT.test(format)) return format
  throw malformed("fmt is no format identifier")
}

/**
 * Checks attestation statements: `none` must be empty and `packed` is verified; of any other format only the name is
 * kept. None of them gives trust in the authenticator's maker: no certificate chain is checked, and a false statement
 * deceives only the user who registers.
 * @throws Fault malformed, signature
 */
export function requireSoundStatements(
  { statements, authenticatorData }: AttestationObject,
  clientDataHash: Uint8Array,
  key: CredentialKey,
): void {
  const signed = Buffer.concat([authenticatorData, clientDataHash])
  for (const { format, statement } of statements) {
    if (format === "none" && statement.size !== 0)
      throw malformed("a statement of the format none is not empty")
    if (format === "packed") requirePackedStatement(statement, signed, key)
  }
}

/** Verification by a COSE algorithm of attestation certificates: RFC 9053 §2, RFC 8812 §2. */
type Scheme = { digest: string | null; keyType: string; curve?: string }

const schemes: ReadonlyMap<CborValue | undefined, Scheme> = new Map<CborValue | undefined, Scheme>([
  [ES256, { digest: "sha256", keyType: "ec", curve: "prime256v1" }],
  [-35, { digest: "sha384", keyType: "ec", curve: "secp384r1" }],
  [-36, { digest: "sha512", keyType: "ec", curve: "secp521r1" }],
  [RS256, { digest: "sha256", keyType: "rsa" }],
  [EDDSA, { digest: null, keyType: "ed25519" }],
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
