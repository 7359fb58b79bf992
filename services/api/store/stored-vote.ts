import type { Outcome } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** A vote as it is stored with its activity. The voter's record is added when the vote is shown. */
export type StoredVote = {
  id: string
  userId: string
  selection: string
  /** The stamped body, as text. */
  message: string
  publicKey: string
  /** Hexadecimal; of a passkey the JSON object of its header. */
  signature: string
  scheme: string
  createdMs: number
  /** Each policy's outcome when the vote was counted, of an organization with few policies. */
  policyOutcomes?: [policyId: string, outcome: Outcome][]
  /** Outcomes for an organization with many policies: digest of their stored list, and packed outcomes, both hexadecimal. */
  listedOutcomes?: [list: string, packed: string]
  /** Users outside the root quorum whose next vote would count, as the signer said. */
  voterIds?: string[]
  /** Receipt of the signer's log for this decision, hexadecimal (docs/formats/log.md). */
  logReceipt?: string
  /** MFA progress of the users who had approved, as replies show it. */
  mfaStatuses?: MfaStatusJson[]
}

/** MfaStatus as JSON. */
export type MfaStatusJson = { [member: string]: unknown; userId: string; satisfied: boolean }
