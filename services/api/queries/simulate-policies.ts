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
import type { Clause, ExpressionTrace, PolicyTrace } from "../../policy-advice/trace.ts"
import type { Draft } from "../../policy-advice/draft.ts"
import { simulate, type SimulationInput, SimulationFault, type Voter } from "../../policy-advice/simulate.ts"
import { invalid } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { ActivityRow } from "../store/activities.ts"
import { liveVotes, readVotes, type StoredVote } from "../resources/votes.ts"
import { requireActivity } from "../resources/activity.ts"
import { holdingsOf } from "./shared/holdings.ts"
import type { Query, QueryContext } from "./shared/query.ts"

/** Advice by the signer's own decision procedure. Its input is this tier's, which may be wrong. */
export const simulatePolicies: Query<SimulatePoliciesRequest> = async (request, context) => {
  const { organization, sql, nowMs } = context
  const input = await readActivityInput(request, context)
  const { activity, parameters } = input
  const { outcome, reason, policies, voterIds } = simulateOrRefuse({
    ...input,
    document: organization.document,
    drafts: request.draftPolicies.map(draftOf),
    onlyDrafts: request.onlyDrafts ?? false,
    holdings: await holdingsOf(activity, parameters, organization, sql),
    nowMs: request.time === undefined ? nowMs : readTime(request.time),
  })
  return jsonText(SimulatePoliciesResponseSchema, {
    outcome,
    reason,
    policies: policies.map(policyMessage),
    voterIds,
  })
}

/** @throws ApiError 400 for a user or credential that the organization does not have */
function simulateOrRefuse(input: SimulationInput) {
  try {
    return simulate(input)
  } catch (fault) {
    if (!(fault instanceof SimulationFault)) throw fault
    const { member, message } = fault
    throw invalid(message, member.startsWith("parameters") ? `activity.${member}` : member)
  }
}

type ActivityInput = Pick<
  SimulationInput,
  "activity" | "parameters" | "submitter" | "approvers" | "isRecorded"
>

async function readActivityInput(
  request: SimulatePoliciesRequest,
  context: QueryContext,
): Promise<ActivityInput> {
  const { activity, activityId, submitter, approvers } = request
  if ((activity === undefined) === (activityId === undefined)) {
    throw invalid("either activity or activityId is required, not both", "activity")
  }
  if (activityId !== undefined) {
    if (submitter !== undefined || approvers.length > 0) {
      throw invalid(
        "submitter and approvers are not allowed with activityId: the activity has its own",
        "submitter",
      )
    }
    return storedInput(await requireActivity(activityId, context), context)
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
  throw invalid(`activity.type: unknown activity type "${type}"`, "activity.type")
}

/** A stored activity with its live votes. */
function storedInput(row: ActivityRow, { organization, nowMs }: QueryContext): ActivityInput {
  const entry = requireType(row.type)
  const [parameters] = Object.values(JSON.parse(row.intent) as { [intent: string]: unknown })
  const { message } = readMessage(entry.intentSchema, parameters, "activity.parameters")
  const votes = readVotes(row.votes)
  const isPending = row.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED"
  const live = liveVotes(votes, isPending ? nowMs : row.updatedMs)
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

/** A voter with the type of their credential. A credential that the document does not have was a session's key. */
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
  throw invalid("time must be an RFC 3339 time such as 2026-01-05T09:00:00Z", "time")
}

function policyMessage(trace: PolicyTrace): MessageInitShape<typeof SimulatedPolicySchema> {
  const { policyId, name, effect, outcome, expressions, warnings } = trace
  return {
    policyId,
    policyName: name,
    effect: effect === "allow" ? Effect.ALLOW : Effect.DENY,
    outcome,
    expressions: expressions.map(expressionMessage),
    warnings,
  }
}

function expressionMessage({ field, result, deciding, fault, warnings }: ExpressionTrace) {
  return {
    field,
    result,
    deciding: deciding.map(clauseMessage),
    ...(fault && { fault }),
    warnings: [...warnings],
  }
}

function clauseMessage({ sentence, ...clause }: Clause): MessageInitShape<typeof ExpressionClauseSchema> {
  return sentence === undefined ? clause : { ...clause, sentence }
}
