import type { ActivityEntry } from "../../proto/catalog.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Organization } from "../organization/organization.ts"

/** What a decision is about. Pure data: the same question always has the same answer. */
export type Question = {
  organization: Organization
  activity: ActivityEntry
  /** Parameters as the activity's reader returned them. */
  parameters: { userId?: unknown }
  /** Who submitted the activity. */
  submitterId: string
  /** Users with a live approving vote, the submitter among them. */
  approverIds: readonly string[]
}

export type Decision =
  | { outcome: "allow"; by: "root-quorum" | "login" | "own-credential" }
  | { outcome: "consensus"; reason: string }
  | { outcome: "deny"; reason: string }

/** One step of the procedure: it decides, or leaves it to the next. */
type Step = (question: Question) => Decision | undefined

/**
 * The decision procedure, in its order. Steps that have nothing to look at yet are named all the same, so that
 * what is added later has its place:
 *
 * 1. session scope of the stamping credential (no session has one yet)
 * 2. default denials: imports are for oneself (no activity that depends on a feature is served yet)
 * 3. root quorum: met, everything passes
 * 4. activities of the root quorum alone
 * 5. policies: DENY (a document holds none yet)
 * 6. logins
 * 7.-8. policies: ALLOW, ALLOW that waits; a root member short of the threshold waits
 * 9. own credentials
 * 10. implicit deny
 */
const STEPS: readonly Step[] = [ownImport, rootQuorum, rootQuorumOnly, login, rootMemberWaits, ownCredential]

export function decide(question: Question): Decision {
  for (const step of STEPS) {
    const decision = step(question)
    if (decision !== undefined) return decision
  }
  return { outcome: "deny", reason: "No policies evaluated to outcome: Allow" }
}

/** Whether this user's vote on the activity would count for anything. */
export function countsVote(organization: Organization, userId: string): boolean {
  return organization.isRoot(userId)
}

/** The key that an import is sealed to is its user's own: nobody, the root quorum neither, imports as another. */
function ownImport({ activity, parameters, submitterId }: Question): Decision | undefined {
  if (activity.action !== "IMPORT" || isUser(parameters.userId, submitterId)) return undefined
  return { outcome: "deny", reason: "imports must target the caller's own user" }
}

function isUser(named: unknown, userId: string): boolean {
  return typeof named === "string" && named.toLowerCase() === userId
}

function rootQuorum({ organization, approverIds }: Question): Decision | undefined {
  return organization.isRootQuorum(approverIds) ? { outcome: "allow", by: "root-quorum" } : undefined
}

function rootQuorumOnly({ activity, organization, submitterId }: Question): Decision | undefined {
  if (activity.authority !== Authority.ROOT_QUORUM || organization.isRoot(submitterId)) return undefined
  return { outcome: "deny", reason: "only the root quorum can do this" }
}

/** A session gives a user nothing that his stamp did not: for a root member's nobody else has to approve. */
function login({ activity, submitterId, approverIds }: Question): Decision | undefined {
  const isOwn = activity.authority === Authority.LOGIN && approverIds.includes(submitterId)
  return isOwn ? { outcome: "allow", by: "login" } : undefined
}

function rootMemberWaits({ organization, submitterId }: Question): Decision | undefined {
  if (!organization.isRoot(submitterId)) return undefined
  return { outcome: "consensus", reason: "more members of the root quorum must approve" }
}

/** Of the submitter's own word, and while it counts: an old submission is no standing permission. */
function ownCredential({ activity, parameters, submitterId, approverIds }: Question): Decision | undefined {
  const isOwn = activity.authority === Authority.OWN_CREDENTIAL && parameters.userId === submitterId
  const own = isOwn && approverIds.includes(submitterId)
  return own ? { outcome: "allow", by: "own-credential" } : undefined
}
