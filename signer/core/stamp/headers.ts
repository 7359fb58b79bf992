import { refuse } from "../refusal.ts"
import { readPasskeyStamp } from "./read-passkey-stamp.ts"
import { readStamp } from "./read-stamp.ts"
import type { Stamp } from "./stamp.ts"

/** Values of a request's stamp headers; absent and empty mean the same. */
export type StampHeaders = {
  readonly xStamp?: string | undefined
  readonly xStampWebauthn?: string | undefined
  readonly xStampAttested?: string | undefined
}

/**
 * Reads the one stamp of a request.
 *
 * @throws Refusal STAMP_MISSING, STAMP_MALFORMED (also: more than one stamp), STAMP_SCHEME_UNKNOWN (also:
 *   attested keys, which are not served yet)
 */
export function readStampHeaders({ xStamp, xStampWebauthn, xStampAttested }: StampHeaders): Stamp {
  const present = [
    ...(xStamp ? ["X-Stamp"] : []),
    ...(xStampWebauthn ? ["X-Stamp-WebAuthn"] : []),
    ...(xStampAttested ? ["X-Stamp-Attested"] : []),
  ]
  if (present.length > 1)
    throw refuse("STAMP_MALFORMED", `a request carries one stamp, this one has ${present.join(" and ")}`)
  if (xStampAttested) throw refuse("STAMP_SCHEME_UNKNOWN", "stamps in X-Stamp-Attested are not served yet")
  if (xStampWebauthn) return readPasskeyStamp(xStampWebauthn)
  if (xStamp) return readStamp(xStamp)
  throw refuse(
    "STAMP_MISSING",
    "no valid authentication signature found for request: neither X-Stamp nor X-Stamp-WebAuthn is there",
  )
}
