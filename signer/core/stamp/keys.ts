import { createPublicKey, type KeyObject } from "node:crypto"
import { ApiKeyCurve, CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecentlyUsed } from "../recently-used.ts"
import { isSoundEd25519Key } from "../crypto/ed25519.ts"
import { refuse } from "../refusal.ts"

// SubjectPublicKeyInfo up to the key itself: RFC 5480 §2 with compressed points, RFC 8410 §4.
const forms: Readonly<Record<StampCurve, { spkiPrefix: Buffer; hex: RegExp }>> = {
  P256: {
    spkiPrefix: Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex"),
    hex: /^0[23][0-9a-f]{64}$/,
  },
  SECP256K1: {
    spkiPrefix: Buffer.from("3036301006072a8648ce3d020106052b8104000a032200", "hex"),
    hex: /^0[23][0-9a-f]{64}$/,
  },
  ED25519: { spkiPrefix: Buffer.from("302a300506032b6570032100", "hex"), hex: /^[0-9a-f]{64}$/ },
}

/** Keys kept parsed, for each curve; parsing costs as much as verifying. A KeyObject takes about 1 KiB. */
const MAX_CACHED_KEYS = 4096

const caches: Readonly<Record<StampCurve, RecentlyUsed<string, KeyObject>>> = {
  P256: new RecentlyUsed(MAX_CACHED_KEYS),
  SECP256K1: new RecentlyUsed(MAX_CACHED_KEYS),
  ED25519: new RecentlyUsed(MAX_CACHED_KEYS),
}

/** True if lower-case hex has a key's form: 33 bytes (SEC1), 32 for Ed25519. It may still be no point of the curve. */
export function isPublicKeyHex(curve: StampCurve, hex: string): boolean {
  return forms[curve].hex.test(hex)
}

/**
 * The key in lower-case hex, as it is stored and looked up. Used wherever an API key is registered; a wallet that stamps
 * by EIP-191 registers a SECP256K1 key.
 *
 * @throws Refusal PUBLIC_KEY_INVALID: not of the curve's length, not compressed, off the curve, a coordinate
 *   not below the field's prime, a point of small order
 */
export function requirePublicKey(curve: ApiKeyCurve, hex: string, field?: string): string {
  const canonical = hex.toLowerCase()
  const known = curveOfApiKey(curve)
  if (known !== undefined && findPublicKey(known, canonical) !== undefined) return canonical
  throw refuse(
    "PUBLIC_KEY_INVALID",
    `the public key is no compressed point of the curve ${known ?? "it names"}, in hex`,
    field === undefined ? {} : { field },
  )
}

/** The parsed key of canonical hex, from a bounded cache; undefined if invalid. */
export function findPublicKey(curve: StampCurve, hex: string): KeyObject | undefined {
  const cached = caches[curve].get(hex)
  if (cached !== undefined) return cached
  const key = parsePublicKey(curve, hex)
  if (key !== undefined) caches[curve].set(hex, key)
  return key
}

function parsePublicKey(curve: StampCurve, hex: string): KeyObject | undefined {
  if (!isPublicKeyHex(curve, hex)) return undefined
  if (curve === "ED25519" && !isSoundEd25519Key(Buffer.from(hex, "hex"))) return undefined
  try {
    const der = Buffer.concat([forms[curve].spkiPrefix, Buffer.from(hex, "hex")])
    return createPublicKey({ key: der, format: "der", type: "spki" })
  } catch {
    return undefined // not the x coordinate of a point
  }
}

/** Curves of the keys that stamp requests. */
export type StampCurve = "P256" | "SECP256K1" | "ED25519"

/** Schemes of the X-Stamp header. */
export type StampScheme = keyof typeof schemeCurves

/** Each scheme's curve. Ethereum wallets sign by EIP-191 with a key that is stored as a plain secp256k1 key. */
const schemeCurves = {
  SIGNATURE_SCHEME_TK_API_P256: "P256",
  SIGNATURE_SCHEME_TK_API_SECP256K1: "SECP256K1",
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: "SECP256K1",
  SIGNATURE_SCHEME_TK_API_ED25519: "ED25519",
} as const satisfies Record<string, StampCurve>

const apiKeyCurves: ReadonlyMap<ApiKeyCurve, StampCurve> = new Map([
  [ApiKeyCurve.P256, "P256"],
  [ApiKeyCurve.SECP256K1, "SECP256K1"],
  [ApiKeyCurve.ED25519, "ED25519"],
])

/** Curves of the credentials that stamp with X-Stamp; authenticators do not. */
const credentialCurves: ReadonlyMap<CredentialType, StampCurve> = new Map([
  [CredentialType.API_KEY_P256, "P256"],
  [CredentialType.API_KEY_SECP256K1, "SECP256K1"],
  [CredentialType.API_KEY_ED25519, "ED25519"],
  [CredentialType.RECOVER_USER_KEY_P256, "P256"],
  [CredentialType.EMAIL_AUTH_KEY_P256, "P256"],
  [CredentialType.OTP_AUTH_KEY_P256, "P256"],
  [CredentialType.OAUTH_KEY_P256, "P256"],
  [CredentialType.READ_WRITE_SESSION_KEY_P256, "P256"],
  [CredentialType.LOGIN, "P256"],
])

export function isStampScheme(name: string): name is StampScheme {
  return Object.hasOwn(schemeCurves, name)
}

/** Names of all schemes, for an error sentence. */
export const STAMP_SCHEMES = Object.keys(schemeCurves).join(", ")

export function curveOfScheme(scheme: StampScheme): StampCurve {
  return schemeCurves[scheme]
}

function curveOfApiKey(curve: ApiKeyCurve): StampCurve | undefined {
  return apiKeyCurves.get(curve)
}

/**
 * True if a credential of the type can stamp with the scheme. If not, the caller refuses with STAMP_SCHEME_MISMATCH.
 */
export function schemeFits(scheme: StampScheme, credential: CredentialType): boolean {
  return credentialCurves.get(credential) === schemeCurves[scheme]
}
