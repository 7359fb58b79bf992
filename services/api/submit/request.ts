import type { IpAddress } from "../../../signer/core/organization/ip-block.ts"
import type { Stamp } from "../../../signer/core/stamp/read-stamp.ts"
import type { Deadline } from "../../../signer/core/turns/deadline.ts"
import type { Caller, StampValues } from "../authentication/authenticate.ts"
import type { Submission } from "./envelope.ts"

/** A submission with its stamp. */
type RequestParts = {
  submission: Submission
  stamps: StampValues
  stamp: Stamp
  nowMs: number
  deadline: Deadline
  /** Id of the request in the logs of both tiers. */
  requestId: string
  /** The caller's address; undefined: a trusted proxy did not report it. */
  addressOf: () => IpAddress | undefined
}

/** A request whose caller this tier has identified. */
export type CallerRequest = RequestParts & { caller: Caller }

/** A request whose caller only the signer can identify. */
export type UnidentifiedRequest = RequestParts & { caller?: undefined }

export type SubmitRequest = CallerRequest | UnidentifiedRequest
