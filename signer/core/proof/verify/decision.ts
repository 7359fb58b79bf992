import { decisionContextDigest } from "../decision-context.ts"
import { isUuid } from "../../uuid.ts"
import type { ShownActivity } from "./activity.ts"
import { failed, type Finding, notProven, proven, quoted, timeText } from "./finding.ts"
import { objectsIn, textIn } from "./json.ts"
import type { ProofStatement } from "./payload.ts"
import { isStamped, readStampedText, type StampedText } from "./stamped-text.ts"
import { faultOfVote, findingOfUncounted, type ShownVote, sortVotes } from "./votes.ts"

/** Checks a policy outcome proof, and whether it decided the activity shown, as shown. */
export function findingsOfDecision(payload: ProofStatement, activity: ShownActivity | undefined): Finding[] {
  const approvals = objectsIn(payload.outcome, "userRequestApprovals").map(readStampedText)
  const broken = approvals.find((approval) => !isStamped(approval))
  if (broken !== undefined) {
    return [failed(`the stamp of key ${quoted(broken.publicKey)} that it counts does not cover its message`)]
  }
  const compared = activity === undefined ? UNSHOWN : compare(payload, approvals, activity)
  if (compared.some(({ verdict }) => verdict === "failed")) return compared
  return [
    proven(statementOf(payload, activity)),
    ...approvals.map(({ publicKey, scheme }) =>
      proven(`key ${publicKey} approved it with a stamp (${scheme})`),
    ),
    ...compared,
    findingOfKeys(textIn(payload.outcome, "organizationDataDigest")),
  ]
}

const UNSHOWN = [notProven("which activity: show it, and it is compared")]

function statementOf({ outcome, timestampMs }: ProofStatement, activity: ShownActivity | undefined): string {
  const what =
    activity === undefined
      ? "some activity"
      : `activity ${activity.id}, as it is shown: what user ${activity.submitterId} asked for, and its result`
  return (
    `the signer decided ${textIn(outcome, "outcome")} on ${what}, of organization ` +
    `${textIn(outcome, "organizationId")}, at ${timeText(timestampMs)}`
  )
}

function findingOfKeys(documentDigest: string): Finding {
  return notProven(
    documentDigest === ""
      ? "whose keys these are: there was no organization yet; a setup code of the operator was its authority"
      : `whose keys these are: the organization's document with SHA-256 ${documentDigest} says so, and it was not shown`,
  )
}

const SWAPPED = "the proof belongs to another activity, or the activity was altered"

/** The faults; without any, the findings about members that are shown but not proven. */
function compare(
  payload: ProofStatement,
  approvals: readonly StampedText[],
  activity: ShownActivity,
): Finding[] {
  const fault =
    faultOfIds(activity) ?? faultOfRequest(payload, activity) ?? faultOfApprovals(approvals, activity)
  if (fault !== undefined) return [fault]
  const { counted, others } = sortVotes(approvals, activity.votes)
  if (counted.includes(undefined))
    return [failed(`the activity shown lacks a vote that was counted: ${SWAPPED}`)]
  const outcomeFault = faultOfOutcome(payload, counted as ShownVote[], activity)
  if (outcomeFault !== undefined) return [outcomeFault]
  const faults = activity.votes.map((vote) => faultOfVote(vote, activity)).filter((one) => one !== undefined)
  if (faults.length > 0) return faults
  const isRejected = activity.status === "ACTIVITY_STATUS_REJECTED"
  if (isRejected && !others.some(({ selection }) => selection === "VOTE_SELECTION_REJECTED")) {
    return [failed(`the activity shown was rejected and lacks the vote that rejected it: ${SWAPPED}`)]
  }
  return [
    ...others.map(findingOfUncounted),
    notProven(
      "what is shown beside it: times, ids of votes, the text of a failure, who may vote, records of users",
    ),
  ]
}

/** The fault of an id that is not a UUID. The report shows ids, also of votes that no proof covers. */
function faultOfIds({ id, organizationId, votes }: ShownActivity): Finding | undefined {
  const ids = [id, organizationId, ...votes.map(({ userId }) => userId)]
  const odd = ids.find((one) => !isUuid(one))
  return odd === undefined
    ? undefined
    : failed(`an id in the activity shown is no UUID: ${quoted(odd)}; ${SWAPPED}`)
}

/** The fingerprint identifies the body, and only the body holds the parameters: no approval needs to contain them. */
function faultOfRequest({ outcome }: ProofStatement, activity: ShownActivity): Finding | undefined {
  if (textIn(outcome, "organizationId") !== activity.organizationId) {
    return failed(`the decision is about another organization: ${SWAPPED}`)
  }
  const { body } = activity
  if (body === undefined) {
    return failed(
      "what was asked for is not shown: the first vote must carry the body whose SHA-256 is the fingerprint",
    )
  }
  if (activity.hasRequestOf(body)) return undefined
  return failed("what was asked for is another type or intent than the one shown: the activity was altered")
}

function faultOfApprovals(approvals: readonly StampedText[], activity: ShownActivity): Finding | undefined {
  const unrelated = approvals.find(
    ({ message }) => activity.selectionOf(message) !== "VOTE_SELECTION_APPROVED",
  )
  return (
    unrelated &&
    failed(
      `what key ${quoted(unrelated.publicKey)} stamped is another request than the one shown: ${SWAPPED}`,
    )
  )
}

function faultOfOutcome(
  { outcome }: ProofStatement,
  counted: readonly ShownVote[],
  activity: ShownActivity,
): Finding | undefined {
  const result = activity.result()
  if (result === "unreadable") return failed("the activity shown has an unreadable result")
  const digest = decisionContextDigest({
    organizationId: activity.organizationId,
    activityId: activity.id,
    activityType: activity.type,
    fingerprint: Buffer.from(activity.fingerprint, "hex"),
    submitterId: activity.submitterId,
    result,
    approverIds: counted.map(({ userId }) => userId),
  })
  if (digest !== textIn(outcome, "decisionContextDigest")) {
    return failed(`the decision was about another id, type, body, voters or result than shown: ${SWAPPED}`)
  }
  if (isOfStatus(activity.status, textIn(outcome, "outcome"), result !== undefined)) return undefined
  return failed(`the decision does not lead to the status shown, ${quoted(activity.status)}: ${SWAPPED}`)
}

/** The decisions that can lead to this status; an allowed activity may still have failed. */
const OUTCOMES_OF_STATUS: ReadonlyMap<string, readonly string[]> = new Map([
  ["ACTIVITY_STATUS_COMPLETED", ["OUTCOME_ALLOW"]],
  ["ACTIVITY_STATUS_FAILED", ["OUTCOME_ALLOW", "OUTCOME_DENY_EXPLICIT", "OUTCOME_DENY_IMPLICIT"]],
  ["ACTIVITY_STATUS_REJECTED", ["OUTCOME_REJECTED"]],
  ["ACTIVITY_STATUS_CONSENSUS_NEEDED", ["OUTCOME_REQUIRES_CONSENSUS"]],
  ["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", ["OUTCOME_REQUIRES_AUTHENTICATORS"]],
])

/** Exactly the completed activities have a result. */
function isOfStatus(status: string, outcome: string, hasResult: boolean): boolean {
  const isCompleted = status === "ACTIVITY_STATUS_COMPLETED"
  return isCompleted === hasResult && (OUTCOMES_OF_STATUS.get(status) ?? []).includes(outcome)
}
