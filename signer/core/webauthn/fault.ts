/**
 * The broken rule of a ceremony. The caller turns it into a refusal: registrations and stamps have different
 * codes.
 *
 * - malformed: encoding or layout
 * - ceremony: another type of ceremony, another relying party, or no user present
 * - challenge: another challenge than the expected one
 * - origin: a page of an origin that is not allowed
 * - credential: another credential than the one named, or none
 * - key: not a public key of an accepted algorithm
 * - signature: does not verify
 */
export type CeremonyFaultKind =
  | "malformed"
  | "ceremony"
  | "challenge"
  | "origin"
  | "credential"
  | "key"
  | "signature"

/** The only error this room throws on purpose. `message` is fit for the caller. */
export class WebauthnFault extends Error {
  readonly kind: CeremonyFaultKind

  constructor(kind: CeremonyFaultKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = "WebauthnFault"
    this.kind = kind
  }
}
