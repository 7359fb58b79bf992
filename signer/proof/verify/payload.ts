import type { ShownActivity } from "./activity.ts"
import { failed, type Finding, notProven, proven, timeText } from "./finding.ts"
import { type Json, objectIn, objectsIn, readObject, textIn } from "./json.ts"
import { decisionContextDigest } from "../decision-context.ts"
import { verifyKeptStamp } from "../../stamp/index.ts"

/** What a proof is about. */
export type Payload = { type: string; timestampMs: string; address: Json; outcome: Json }

/** The text of a proof whose signature was verified; undefined where it is no statement. */
export function readPayload(text: string): Payload | undefined {
  const json = readObject(text)
  if (json === undefined) return undefined
  return {
    type: textIn(json, "type"),
    timestampMs: textIn(json, "timestampMs"),
    address: objectIn(json, "addressDerivationProof"),
    outcome: objectIn(json, "policyOutcomeProof"),
  }
}

/** What the statement says, and whether the activity shown is the one that it is about. */
export function findingsOfPayload(payload: Payload, activity: ShownActivity | undefined): Finding[] {
  switch (payload.type) {
    case "APP_PROOF_TYPE_ADDRESS_DERIVATION":
      return findingsOfAddress(payload, activity)
    case "APP_PROOF_TYPE_POLICY_OUTCOME":
      return findingsOfOutcome(payload, activity)
    default:
      return [failed(`it is of a kind that this verifier does not know: ${payload.type}`)]
  }
}

function findingsOfAddress(payload: Payload, activity: ShownActivity | undefined): Finding[] {
  const [address, organizationId, walletId, path] = [
    "address",
    "organizationId",
    "walletId",
    "derivationPath",
  ].map((name) => textIn(payload.address, name)) as [string, string, string, string]
  const origin = walletId === "" ? "a private key" : `wallet ${walletId}, path ${path}`
  const statement = `the signer holds the key of address ${address} for organization ${organizationId} (${origin}), since ${timeText(payload.timestampMs)}`
  if (activity === undefined) return [proven(statement)]
  const isOfActivity =
    activity.addresses.includes(address) && activity.organizationIds.includes(organizationId)
  return isOfActivity
    ? [proven(statement)]
    : [failed(`address ${address} is not in the result of the activity shown: the proof belongs to another`)]
}

function findingsOfOutcome(payload: Payload, activity: ShownActivity | undefined): Finding[] {
  const { outcome } = payload
  const approvals = objectsIn(outcome, "userRequestApprovals").map(readApproval)
  const broken = approvals.filter((approval) => !isStamped(approval))
  if (broken.length > 0) {
    return [failed(`the stamp of key ${broken[0]?.publicKey} that it counts does not cover its message`)]
  }
  const faults = activity === undefined ? [] : faultsOfDecision(payload, approvals, activity)
  if (faults.length > 0) return faults
  const what =
    activity === undefined ? "some activity" : `activity ${activity.id}, as it is shown with its result`
  const digest = textIn(outcome, "organizationDataDigest")
  return [
    proven(
      `the signer decided ${textIn(outcome, "outcome")} on ${what}, of organization ` +
        `${textIn(outcome, "organizationId")}, at ${timeText(payload.timestampMs)}`,
    ),
    ...approvals.map(({ publicKey, scheme }) =>
      proven(`key ${publicKey} approved it with a stamp (${scheme})`),
    ),
    ...(activity === undefined ? [notProven("which activity: show it, and it is compared")] : []),
    notProven(
      digest === ""
        ? "whose keys these are: there was no organization yet; a setup code of the operator was its authority"
        : `whose keys these are: the organization's document with SHA-256 ${digest} says so, and it was not shown`,
    ),
  ]
}

type Approval = { scheme: string; publicKey: string; message: string; signature: string }

function readApproval(json: Json): Approval {
  const [scheme, publicKey, message, signature] = ["scheme", "publicKey", "message", "signature"].map(
    (name) => textIn(json, name),
  ) as [string, string, string, string]
  return { scheme, publicKey, message, signature }
}

function isStamped({ message, ...stamp }: Approval): boolean {
  return verifyKeptStamp(stamp, Buffer.from(message))
}

/** Which decisions an activity of this status comes from; what was allowed may still have failed. */
const OUTCOMES_OF_STATUS: ReadonlyMap<string, readonly string[]> = new Map([
  ["ACTIVITY_STATUS_COMPLETED", ["OUTCOME_ALLOW"]],
  ["ACTIVITY_STATUS_FAILED", ["OUTCOME_ALLOW", "OUTCOME_DENY_EXPLICIT", "OUTCOME_DENY_IMPLICIT"]],
  ["ACTIVITY_STATUS_REJECTED", ["OUTCOME_REJECTED"]],
  ["ACTIVITY_STATUS_CONSENSUS_NEEDED", ["OUTCOME_REQUIRES_CONSENSUS"]],
  ["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", ["OUTCOME_REQUIRES_AUTHENTICATORS"]],
])

/** Only what was completed has a result, and it always has one. */
function isOfStatus(status: string, outcome: string, hasResult: boolean): boolean {
  const isCompleted = status === "ACTIVITY_STATUS_COMPLETED"
  return isCompleted === hasResult && (OUTCOMES_OF_STATUS.get(status) ?? []).includes(outcome)
}

const SWAPPED = "the proof belongs to another activity, or the activity was altered"

function faultsOfDecision(
  { outcome }: Payload,
  approvals: readonly Approval[],
  activity: ShownActivity,
): Finding[] {
  if (textIn(outcome, "organizationId") !== activity.organizationId) {
    return [failed(`the decision is about another organization: ${SWAPPED}`)]
  }
  const strange = approvals.find(
    ({ message }) => !activity.isOfBody(message) && !activity.isApprovedBy(message),
  )
  if (strange !== undefined) {
    return [failed(`what key ${strange.publicKey} stamped is another request than the one shown: ${SWAPPED}`)]
  }
  const voters = approvals.map(({ message, signature }) => activity.voterOf(message, signature))
  if (voters.includes(undefined))
    return [failed(`the activity shown lacks a vote that was counted: ${SWAPPED}`)]
  const result = activity.result()
  if (result === "unreadable") return [failed("the activity shown has a result that is none")]
  const digest = decisionContextDigest({
    organizationId: activity.organizationId,
    activityId: activity.id,
    activityType: activity.type,
    fingerprint: Buffer.from(activity.fingerprint, "hex"),
    submitterId: activity.submitterId,
    result,
    approverIds: voters.map(String),
  })
  if (digest !== textIn(outcome, "decisionContextDigest")) {
    const sentence = `the decision was about something else than id, type, body, voters and result shown: ${SWAPPED}`
    return [failed(sentence)]
  }
  if (isOfStatus(activity.status, textIn(outcome, "outcome"), result !== undefined)) return []
  return [failed(`the decision does not lead to the status shown, ${activity.status}: ${SWAPPED}`)]
}
