import { ApiKeyCurve, CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** Curves of the keys that stamp requests. */
export type Curve = "P256" | "SECP256K1" | "ED25519"

/** Schemes of the X-Stamp header. */
export type StampScheme = keyof typeof schemeCurves

/** Each scheme's curve. Ethereum wallets sign by EIP-191 with a key that is stored as a plain secp256k1 key. */
const schemeCurves = {
  SIGNATURE_SCHEME_TK_API_P256: "P256",
  SIGNATURE_SCHEME_TK_API_SECP256K1: "SECP256K1",
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: "SECP256K1",
  SIGNATURE_SCHEME_TK_API_ED25519: "ED25519",
} as const satisfies Record<string, Curve>

const apiKeyCurves: ReadonlyMap<ApiKeyCurve, Curve> = new Map([
  [ApiKeyCurve.P256, "P256"],
  [ApiKeyCurve.SECP256K1, "SECP256K1"],
  [ApiKeyCurve.ED25519, "ED25519"],
])

/** Curves of the credentials that stamp with X-Stamp; authenticators do not. */
const credentialCurves: ReadonlyMap<CredentialType, Curve> = new Map([
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

export function curveOfScheme(scheme: StampScheme): Curve {
  return schemeCurves[scheme]
}

/** Undefined for a number that is no curve of API keys. */
export function curveOfApiKey(curve: ApiKeyCurve): Curve | undefined {
  return apiKeyCurves.get(curve)
}

/**
 * Whether a credential of the type can stamp with the scheme. If not, the caller refuses with STAMP_SCHEME_MISMATCH.
 */
export function schemeFits(scheme: StampScheme, credential: CredentialType): boolean {
  return credentialCurves.get(credential) === schemeCurves[scheme]
}
