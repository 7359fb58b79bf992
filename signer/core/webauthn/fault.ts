/**
 * Which rule of a ceremony is broken. Who calls turns it into a refusal: a registration and a stamp have codes of
 * their own.
 *
 * - malformed: encoding or layout; nothing that this room reads has two readings
 * - ceremony: made for something else: another type, another relying party, or without a user who was there
 * - challenge: another challenge than the one asked for
 * - origin: a page of another origin
 * - credential: another credential than the one named, or none
 * - key: no public key of an accepted algorithm
 * - signature: does not verify
 */
export type FaultKind = "malformed" | "ceremony" | "challenge" | "origin" | "credential" | "key" | "signature"

/** The only error this room throws on purpose. `message` is fit for the caller. */
export class WebauthnFault extends Error {
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = "WebauthnFault"
    this.kind = kind
  }
}
