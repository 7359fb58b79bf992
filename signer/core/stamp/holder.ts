import type { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Refusal, type RefusalName, refuse } from "../refusal.ts"
import { requireAssertion } from "../webauthn/assertion.ts"
import { type FaultKind, WebauthnFault } from "../webauthn/fault.ts"
import { createHash } from "node:crypto"
import type { PasskeyStamp } from "./read-passkey-stamp.ts"
import { schemeFits } from "./scheme.ts"
import type { Stamp } from "./stamp.ts"
import { requireStamp } from "./verify.ts"

/** A key as far as a stamp is held against it. `expiresAtMs` 0: it lasts. */
export type HeldKey = {
  readonly publicKey: string
  readonly type: CredentialType
  readonly expiresAtMs: bigint
}

/** A passkey as far as a stamp is held against it. */
export type HeldPasskey = { readonly publicKey: Uint8Array; readonly rpIdHash: Uint8Array }

/** The credential that a stamp names, as the organization's document has it. */
export type HeldCredential = { readonly apiKey: HeldKey } | { readonly authenticator: HeldPasskey }

/** `origins`: those that the organization allows, undefined for any; asked for only where a passkey stamps. */
export type StampTerms = { nowMs: number; origins: () => readonly string[] | undefined }

/**
 * Refuses a stamp that its credential did not make for this body, now. Both tiers verify by this and by nothing else.
 * The signature is looked at last: it costs most.
 *
 * @throws Refusal STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_MALFORMED, STAMP_CEREMONY_WRONG,
 *   STAMP_ORIGIN_WRONG, STAMP_INVALID
 */
export function requireStampOf(
  held: HeldCredential,
  stamp: Stamp,
  body: Uint8Array,
  { nowMs, origins }: StampTerms,
): void {
  if (stamp.kind === "passkey" && "authenticator" in held) {
    requirePasskeyStamp(held.authenticator, stamp, body, origins())
    return
  }
  if (stamp.kind === "passkey" || "authenticator" in held || !schemeFits(stamp.scheme, held.apiKey.type)) {
    throw refuse("STAMP_SCHEME_MISMATCH", `the credential does not stamp with ${stamp.scheme}`)
  }
  const { expiresAtMs, publicKey } = held.apiKey
  if (expiresAtMs !== 0n && expiresAtMs <= BigInt(nowMs)) {
    throw refuse(
      "CREDENTIAL_EXPIRED",
      `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey=${publicKey}`,
    )
  }
  requireStamp(stamp, body)
}

/** Nobody of the organization, nor of its parent, holds the credential. Published clients look for these words. */
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
  { publicKey, rpIdHash }: HeldPasskey,
  stamp: PasskeyStamp,
  body: Uint8Array,
  origins: readonly string[] | undefined,
): void {
  try {
    requireAssertion(stamp, { challenge: challengeOf(body), publicKey, rpIdHash, origins })
  } catch (cause) {
    if (!(cause instanceof WebauthnFault)) throw cause
    throw refuse(codes[cause.kind], `could not verify WebAuthN signature: ${cause.message}`, { cause })
  }
}

/** What the browser is asked to sign: the 64 digits of the body's SHA-256 in lower case; base64url as it writes it. */
export function challengeOf(body: Uint8Array): string {
  return Buffer.from(createHash("sha256").update(body).digest("hex")).toString("base64url")
}

const codes: Readonly<Record<FaultKind, RefusalName>> = {
  malformed: "STAMP_MALFORMED",
  ceremony: "STAMP_CEREMONY_WRONG",
  challenge: "STAMP_INVALID",
  origin: "STAMP_ORIGIN_WRONG",
  signature: "STAMP_INVALID",
  // The stored key was read when it was registered, and no credential is attested when one stamps.
  credential: "STAMP_INVALID",
  key: "STAMP_INVALID",
}
