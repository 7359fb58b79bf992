import type { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Refusal, type RefusalName, refuse } from "../refusal.ts"
import { requireAssertion } from "../webauthn/assertion.ts"
import { type FaultKind, WebauthnFault } from "../webauthn/fault.ts"
import { createHash } from "node:crypto"
import type { PasskeyStamp } from "./read-passkey-stamp.ts"
import { schemeFits } from "./scheme.ts"
import type { Stamp } from "./stamp.ts"
import { requireStamp } from "./verify.ts"

/** The members of a stored API key that its stamps are checked against. `expiresAtMs` 0: it does not expire. */
export type StoredApiKey = {
  readonly publicKey: string
  readonly type: CredentialType
  readonly expiresAtMs: bigint
}

/** The members of a stored passkey that its stamps are checked against. */
export type StoredPasskey = { readonly publicKey: Uint8Array; readonly rpIdHash: Uint8Array }

/** The credential that a stamp names, from the organization's document. */
export type StoredCredential = { readonly apiKey: StoredApiKey } | { readonly authenticator: StoredPasskey }

/** `origins`: allowed by the organization, undefined for any; called only for stamps of passkeys. */
export type StampConditions = { nowMs: number; origins: () => readonly string[] | undefined }

/**
 * Refuses a stamp unless this credential made it for this body and has not expired. Both tiers verify stamps only by
 * this function. The signature is verified last, because it costs most.
 *
 * @throws Refusal STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_MALFORMED, STAMP_CEREMONY_WRONG,
 *   STAMP_ORIGIN_WRONG, STAMP_INVALID
 */
export function requireStampByCredential(
  stored: StoredCredential,
  stamp: Stamp,
  body: Uint8Array,
  { nowMs, origins }: StampConditions,
): void {
  if (stamp.kind === "passkey" && "authenticator" in stored) {
    requirePasskeyStamp(stored.authenticator, stamp, body, origins())
    return
  }
  if (
    stamp.kind === "passkey" ||
    "authenticator" in stored ||
    !schemeFits(stamp.scheme, stored.apiKey.type)
  ) {
    throw refuse("STAMP_SCHEME_MISMATCH", `the credential does not stamp with ${stamp.scheme}`)
  }
  const { expiresAtMs, publicKey } = stored.apiKey
  if (expiresAtMs !== 0n && expiresAtMs <= BigInt(nowMs)) {
    throw refuse(
      "CREDENTIAL_EXPIRED",
      `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey=${publicKey}`,
    )
  }
  requireStamp(stamp, body)
}

/** No user of the organization or of its parent owns the credential. Published clients match these texts. */
export function unknownCredential(stamp: Stamp, organizationId: string): Refusal {
  const where = "could not be found in organization or its parent organization"
  return stamp.kind === "passkey"
    ? refuse(
        "PASSKEY_UNKNOWN",
        `credential ID ${where}: organizationId=${organizationId} ` +
          `credentialId=${Buffer.from(stamp.credentialId).toString("base64url")}`,
      )
    : refuse(
        "CREDENTIAL_UNKNOWN",
        "could not find public key in organization or its parent organization: " +
          `organizationId=${organizationId} publicKey=${stamp.publicKeyHex}`,
      )
}

function requirePasskeyStamp(
  { publicKey, rpIdHash }: StoredPasskey,
  stamp: PasskeyStamp,
  body: Uint8Array,
  origins: readonly string[] | undefined,
): void {
  try {
    requireAssertion(stamp, { challenge: challengeOf(body), publicKey, rpIdHash, origins })
  } catch (cause) {
    if (!(cause instanceof WebauthnFault)) throw cause
    throw refuse(codeOfFault[cause.kind], `could not verify WebAuthN signature: ${cause.message}`, { cause })
  }
}

/** The challenge of a body, as browsers write it: base64url of the 64 lower-case digits of its SHA-256. */
export function challengeOf(body: Uint8Array): string {
  return Buffer.from(createHash("sha256").update(body).digest("hex")).toString("base64url")
}

const codeOfFault: Readonly<Record<FaultKind, RefusalName>> = {
  malformed: "STAMP_MALFORMED",
  ceremony: "STAMP_CEREMONY_WRONG",
  challenge: "STAMP_INVALID",
  origin: "STAMP_ORIGIN_WRONG",
  signature: "STAMP_INVALID",
  // Cannot occur in a stamp: the stored key was read at registration, and an assertion attests no credential.
  credential: "STAMP_INVALID",
  key: "STAMP_INVALID",
}
