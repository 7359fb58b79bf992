import type { ActivityEntry } from "../../../../proto/catalog.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Organization } from "../../organization/organization.ts"
import type { Environment } from "../expression.ts"

/** Everything a decision depends on. Pure data: the same input always gives the same decision. */
export type DecisionInput = {
  organization: Organization
  activity: ActivityEntry
  /** Parameters as the activity's reader returned them. */
  parameters: { userId?: unknown }
  /** Who submitted the activity. */
  submitterId: string
  /** The approvals that count now, one of each user; the submitter's among them while it counts. */
  approvals: readonly Approval[]
  /**
   * What conditions see of the activity, of a batch part by part: a root is absent only where there is nothing of the
   * kind. What could not be gathered must have been refused before.
   */
  facts: readonly Environment[]
  nowMs: number
}

/** A user's approval, with the credentials that he gave it by: several where he has to prove more than one. */
export type Approval = { readonly user: User; readonly credentials: readonly Credential[] }

/** A credential as the policy language shows it. */
export type Credential = {
  readonly id: string
  /** `CREDENTIAL_TYPE_…`. */
  readonly type: string
  /** Of a passkey its credential id, base64url; else empty. */
  readonly credentialId: string
  /** As resources show it. */
  readonly publicKey: string
  /** It stamps a session; else it is lasting. */
  readonly isSession: boolean
  /** Profile of the session; else, and of a plain session, empty. */
  readonly profileId: string
  /** Public key of what the session comes from, if it was a key; else empty. */
  readonly openedBy: string
}
