import type { ActivityEntry } from "../../../../proto/catalog.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Organization } from "../../organization/organization.ts"
import type { ControlReading } from "../controls.ts"
import { Budget } from "../expression.ts"
import { MAX_APPROVAL_STEPS, MAX_SEARCH_STEPS } from "../language/limits.ts"
import type { RequestFacts } from "../facts/request-facts.ts"

/** Everything a decision depends on. Pure data: the same input always gives the same decision. */
export type DecisionInput = {
  organization: Organization
  activity: ActivityEntry
  /** Parameters as the activity's reader returned them. */
  parameters: { userId?: unknown }
  /** Id of the user who submitted the activity. */
  submitterId: string
  /** Approvals that count now, one of each user; the submitter's among them while it counts. */
  approvals: readonly Approval[]
  /**
   * Facts that conditions read. A root is absent only where the activity has nothing of the kind; a root that cannot be built is
   * refused before the decision.
   */
  facts: RequestFacts
  /** Velocity controls that the request concerns or policies read; absent: the organization has none. */
  controls?: readonly ControlReading[]
  nowMs: number
  /** Given by a caller that counts the steps of a decision; absent: the decision makes its own. */
  budgets?: DecisionBudgets
}

/** Steps that one decision may take beside those of its conditions. */
export type DecisionBudgets = {
  /** Consensus and time expressions. They do not depend on the request's facts, so conditions cannot use these up. */
  readonly approvals: Budget
  /** Searches for votes that would complete a consensus. They must not use up the steps of policies that deny. */
  readonly searches: Budget
}

export function newBudgets(): DecisionBudgets {
  return { approvals: new Budget(MAX_APPROVAL_STEPS), searches: new Budget(MAX_SEARCH_STEPS) }
}

/** A user's approval and the credentials that stamped it: several where MFA policies ask for them. */
export type Approval = { readonly user: User; readonly credentials: readonly Credential[] }

/** A credential as the policy language shows it. */
export type Credential = {
  readonly id: string
  /** `CREDENTIAL_TYPE_…`. */
  readonly type: string
  /** A passkey's credential id, base64url; empty for other credentials. */
  readonly credentialId: string
  /** The public key as resources show it. */
  readonly publicKey: string
  /** The credential is a session's key. */
  readonly isSession: boolean
  /** The session's profile id; empty for a plain session and other credentials. */
  readonly profileId: string
  /** Public key of the API key or first session that the session comes from; else empty. */
  readonly openedBy: string
}
