import { ApiKeyCurve, CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** Curves on which requests are stamped. */
export type Curve = "P256" | "SECP256K1" | "ED25519"

/** Schemes of the X-Stamp header. */
export type StampScheme = keyof typeof schemeCurves

/** Each scheme's curve. Ethereum wallets sign their own way with what is stored as a plain secp256k1 key. */
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

/** Credentials that stamp with X-Stamp; an authenticator is none of them. */
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

/** undefined for a number that is no curve of API keys. */
export function curveOfApiKey(curve: ApiKeyCurve): Curve | undefined {
  return apiKeyCurves.get(curve)
}

/**
 * Whether a stamp of this scheme can come from a credential of that type. The refusal of a misfit,
 * STAMP_SCHEME_MISMATCH, is the caller's, who holds the credential.
 */
export function schemeFits(scheme: StampScheme, credential: CredentialType): boolean {
  return credentialCurves.get(credential) === schemeCurves[scheme]
}
