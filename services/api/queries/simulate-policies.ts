import type { MessageInitShape } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import {
  CredentialType,
  CredentialTypeSchema,
  Effect,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type DraftPolicy,
  type ExpressionClauseSchema,
  type SimulatedPolicySchema,
  type SimulatePoliciesRequest,
  SimulatePoliciesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { readMessage } from "../../../proto/read.ts"
import {
  type Clause,
  type Draft,
  type ExpressionTrace,
  type PolicyTrace,
  simulate,
  type SimulationInput,
  SimulationFault,
  type Voter,
} from "../../policy-advice/simulate.ts"
import { invalid } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { ActivityRow } from "../store/activities.ts"
import { liveVotes, readVotes, type StoredVote } from "../resources/votes.ts"
import { requireActivity } from "../resources/activity.ts"
import { holdingsOf } from "./shared/holdings.ts"
import type { Query, QueryContext } from "./shared/query.ts"

/** Advice, by the procedure that the signer decides by. What it looks at is this tier's own, and may be wrong. */
export const simulatePolicies: Query<SimulatePoliciesRequest> = async (request, context) => {
  const { organization, sql, nowMs } = context
  const matter = await matterOf(request, context)
  const { activity, parameters } = matter
  const { outcome, reason, policies, voterIds } = decided({
    ...matter,
    document: organization.document,
    drafts: request.draftPolicies.map(draftOf),
    onlyDrafts: request.onlyDrafts ?? false,
    holdings: await holdingsOf(activity, parameters, organization, sql),
    nowMs: request.time === undefined ? nowMs : readTime(request.time),
  })
  return jsonText(SimulatePoliciesResponseSchema, {
    outcome,
    reason,
    policies: policies.map(shownPolicy),
    voterIds,
  })
}

/** @throws ApiError 400, for what the organization does not have */
function decided(trial: SimulationInput) {
  try {
    return simulate(trial)
  } catch (fault) {
    if (!(fault instanceof SimulationFault)) throw fault
    const { member, message } = fault
    throw invalid(message, member.startsWith("parameters") ? `activity.${member}` : member)
  }
}

type Matter = Pick<SimulationInput, "activity" | "parameters" | "submitter" | "approvers" | "isRecorded">

async function matterOf(request: SimulatePoliciesRequest, context: QueryContext): Promise<Matter> {
  const { activity, activityId, submitter, approvers } = request
  if ((activity === undefined) === (activityId === undefined)) {
    throw invalid("either activity or activityId must be there, and not both", "activity")
  }
  if (activityId !== undefined) {
    if (submitter !== undefined || approvers.length > 0) {
      throw invalid("of a recorded activity submitter and approvers are known", "submitter")
    }
    return recorded(await requireActivity(activityId, context), context)
  }
  const entry = requireType(activity?.type ?? "")
  const { message } = readMessage(entry.intentSchema, activity?.parameters, "activity.parameters")
  return {
    activity: entry,
    parameters: message,
    submitter: submitter ? voterOf(submitter) : { userId: context.userId },
    approvers: approvers.map(voterOf),
  }
}

function requireType(type: string): ActivityEntry {
  const entry = activityTypes.get(type)
  if (entry !== undefined) return entry
  throw invalid(`activity.type is no activity type: ${type}`, "activity.type")
}

/** An activity as it stands now, with the votes that count. */
function recorded(row: ActivityRow, { organization, nowMs }: QueryContext): Matter {
  const entry = requireType(row.type)
  const [parameters] = Object.values(JSON.parse(row.intent) as { [intent: string]: unknown })
  const { message } = readMessage(entry.intentSchema, parameters, "activity.parameters")
  const votes = readVotes(row.votes)
  const isWaiting = row.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED"
  const live = liveVotes(votes, isWaiting ? nowMs : row.updatedMs)
  const approving = live.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED")
  const submission = approving.find(({ userId }) => userId === row.userId)
  return {
    activity: entry,
    parameters: message,
    submitter: submission ? voterOfVote(submission, organization) : { userId: row.userId },
    approvers: approving
      .filter(({ userId }) => userId !== row.userId)
      .map((vote) => voterOfVote(vote, organization)),
    isRecorded: true,
  }
}

/** By the credential that he voted with; one that is no more, or was never in the document, was a session's. */
function voterOfVote({ userId, publicKey }: StoredVote, { document }: StoredOrganization): Voter {
  const user = document.users.find((one) => one.userId === userId)
  const key = user?.apiKeys.find((one) => one.publicKey === publicKey)
  const passkey = user?.authenticators.find(
    (one) => Buffer.from(one.publicKey).toString("base64url") === publicKey,
  )
  const ofPasskey = passkey && CredentialType.WEBAUTHN_AUTHENTICATOR
  const type = key?.type ?? ofPasskey ?? CredentialType.LOGIN
  return { userId, credentialType: CredentialTypeSchema.value[type]?.name }
}

function voterOf({ userId, credentialType }: Voter): Voter {
  return { userId: userId.toLowerCase(), credentialType }
}

function draftOf({ policyId, policyName, effect, condition, consensus, time }: DraftPolicy): Draft {
  return {
    policyId: policyId?.toLowerCase(),
    name: policyName,
    effect: effect === Effect.ALLOW ? "allow" : "deny",
    condition,
    consensus,
    time,
  }
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

function readTime(text: string): number {
  const unixMs = RFC_3339.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(unixMs)) return unixMs
  throw invalid("time must be a time like 2026-01-05T09:00:00Z", "time")
}

function shownPolicy(trace: PolicyTrace): MessageInitShape<typeof SimulatedPolicySchema> {
  const { policyId, name, effect, outcome, expressions, warnings } = trace
  return {
    policyId,
    policyName: name,
    effect: effect === "allow" ? Effect.ALLOW : Effect.DENY,
    outcome,
    expressions: expressions.map(shownExpression),
    warnings,
  }
}

function shownExpression({ field, result, deciding, fault, warnings }: ExpressionTrace) {
  return {
    field,
    result,
    deciding: deciding.map(shownClause),
    ...(fault && { fault }),
    warnings: [...warnings],
  }
}

function shownClause({ sentence, ...clause }: Clause): MessageInitShape<typeof ExpressionClauseSchema> {
  return sentence === undefined ? clause : { ...clause, sentence }
}
