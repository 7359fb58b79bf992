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
import type { PolicyDraft } from "../../policy-advice/draft.ts"
import { type Simulation, simulateInSteps, type SimulationInput } from "../../policy-advice/simulate.ts"
import { SendIncomplete } from "../../policy-advice/simulated-send.ts"
import { SimulationFault } from "../../policy-advice/simulation-fault.ts"
import type { Voter } from "../../policy-advice/simulation-votes.ts"
import { advance } from "../../../signer/core/turns/steps.ts"
import { TurnQueue } from "../../../signer/core/turns/turn-queue.ts"
import { invalid } from "../errors.ts"
import { lookUpValues } from "../sending/look-up.ts"
import { jsonText } from "../resources/json-text.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { ActivityRow } from "../store/activities.ts"
import { liveVotes } from "../resources/votes.ts"
import type { StoredVote } from "../store/stored-vote.ts"
import { listSessions, readSession } from "../store/sessions.ts"
import { requireActivity } from "../resources/activity.ts"
import { calledInterfaces } from "./shared/called-interfaces.ts"
import { holdingsOf, holdingsOfSigners } from "./shared/holdings.ts"
import type { Query, QueryContext } from "./shared/query.ts"

/** Advice by the signer's own decision procedure. Its input is this tier's, which may be wrong. */
export const simulatePolicies: Query<SimulatePoliciesRequest> = async (request, context) => {
  const { organization, sql, nowMs } = context
  const input = await readActivityInput(request, context)
  const { activity, parameters } = input
  const simulation = {
    ...input,
    document: organization.document,
    drafts: request.draftPolicies.map(draftOf),
    onlyDrafts: request.onlyDrafts ?? false,
    holdings: await holdingsOf(activity, parameters, organization, sql),
    signers: await holdingsOfSigners(activity, parameters, organization, sql),
    interfaces: await calledInterfaces(activity, parameters, organization, sql),
    nowMs: request.time === undefined ? nowMs : readTime(request.time),
  }
  const { outcome, reason, payloadIndex, policies, voterIds } = await simulateFilled(simulation, context)
  return jsonText(SimulatePoliciesResponseSchema, {
    outcome,
    reason,
    ...(payloadIndex !== undefined && { payloadIndex }),
    policies: policies.map(policyMessage),
    voterIds,
  })
}

/** Simulates. A send gets from its chain what its parameters leave open, if policies read it. */
async function simulateFilled(input: SimulationInput, context: QueryContext): Promise<Simulation> {
  try {
    return await simulateOrRefuse(input)
  } catch (error) {
    if (!(error instanceof SendIncomplete)) throw error
    const chain = await lookUpValues(input.parameters as { caip2: string } & object, context)
    return simulateOrRefuse({ ...input, chain })
  }
}

/** One slice of one simulation runs in each turn of the event loop, so that simulations delay no other request. */
const slices = new TurnQueue({ perTurn: 1 })

/** @throws ApiError 400 for a user or credential that the organization does not have; SIMULATION_TOO_COSTLY */
async function simulateOrRefuse(input: SimulationInput): Promise<Simulation> {
  const simulation = simulateInSteps(input)
  try {
    for (;;) {
      await slices.turn()
      const slice = advance(simulation)
      if (slice.done === true) return slice.value
    }
  } catch (fault) {
    if (!(fault instanceof SimulationFault)) throw fault
    const { member, message } = fault
    throw invalid(message, member.startsWith("parameters") ? `activity.${member}` : member)
  }
}

type ActivityInput = Pick<SimulationInput, "activity" | "parameters" | "submitter" | "approvers" | "recorded">

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

/** States in which an activity still takes votes. */
const PENDING: ReadonlySet<string> = new Set([
  "ACTIVITY_STATUS_CONSENSUS_NEEDED",
  "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
])

/** A stored activity with the votes that count: now while it takes votes, else when it was decided. */
async function storedInput(row: ActivityRow, context: QueryContext): Promise<ActivityInput> {
  const entry = requireType(row.type)
  const [parameters] = Object.values(JSON.parse(row.intent) as { [intent: string]: unknown })
  const { message } = readMessage(entry.intentSchema, parameters, "activity.parameters")
  const isPending = PENDING.has(row.status)
  const live = liveVotes(row.votes, isPending ? context.nowMs : row.updatedMs)
  const approving = live.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED")
  const voters = isPending
    ? await currentVoters(approving, context)
    : approving.flatMap(voterAtDecision(context))
  const submission = voters.find(({ userId }) => userId === row.userId)
  return {
    activity: entry,
    parameters: message,
    submitter: submission ?? { userId: row.userId },
    approvers: voters.filter(({ userId }) => userId !== row.userId),
    recorded: { hasSubmission: submission !== undefined },
  }
}

/** Voters whose credential still is their user's: a removed or expired key, or an ended session, takes its votes back. */
async function currentVoters(votes: readonly StoredVote[], context: QueryContext): Promise<Voter[]> {
  const { sql, organization, nowMs } = context
  const sessions = (await listSessions(sql, organization.id, { nowMs })).map(readSession)
  return votes.flatMap((vote) => {
    const voter = voterOfVote(vote, organization, nowMs)
    if (voter !== undefined) return [voter]
    const { userId, publicKey } = vote
    const isSession = sessions.some((one) => one.userId === userId && one.publicKey === publicKey)
    return isSession && organization.user(userId) !== undefined ? [{ userId, credentialType: LOGIN }] : []
  })
}

/** The voter of a decided activity. A key that the document lacks was a session's; a deleted user is left out. */
function voterAtDecision({ organization }: QueryContext): (vote: StoredVote) => Voter[] {
  return (vote) => {
    const { userId } = vote
    if (organization.user(userId) === undefined) return []
    return [voterOfVote(vote, organization, 0) ?? { userId, credentialType: LOGIN }]
  }
}

const LOGIN = CredentialTypeSchema.value[CredentialType.LOGIN]?.name

/** A voter with the credential of the document that stamped the vote; undefined: the user has no such credential. */
function voterOfVote(
  { userId, publicKey }: StoredVote,
  { document }: StoredOrganization,
  nowMs: number,
): Voter | undefined {
  const user = document.users.find((one) => one.userId === userId)
  const key = user?.apiKeys.find((one) => one.publicKey === publicKey)
  const isExpired = key !== undefined && key.expiresAtMs !== 0n && key.expiresAtMs <= BigInt(nowMs)
  const isPasskey = user?.authenticators.some(
    (one) => Buffer.from(one.publicKey).toString("base64url") === publicKey,
  )
  const type = isPasskey === true ? CredentialType.WEBAUTHN_AUTHENTICATOR : key?.type
  if (type === undefined || isExpired) return undefined
  return { userId, credentialType: CredentialTypeSchema.value[type]?.name, publicKey }
}

function voterOf({ userId, credentialType }: Voter): Voter {
  return { userId, credentialType }
}

function draftOf({ policyId, policyName, effect, condition, consensus, time }: DraftPolicy): PolicyDraft {
  return {
    policyId,
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
  const { policyId, name, effect, outcome, payloadIndex, expressions, warnings } = trace
  return {
    policyId,
    policyName: name,
    effect: effect === "allow" ? Effect.ALLOW : Effect.DENY,
    outcome,
    expressions: expressions.map(expressionMessage),
    warnings,
    ...(payloadIndex !== undefined && { payloadIndex }),
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
