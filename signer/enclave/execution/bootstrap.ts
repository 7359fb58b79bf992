import {
  ActivityStatus,
  CredentialType,
  VoteSelection,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { requireInvariant } from "../../core/invariant.ts"
import { refuse } from "../../core/refusal.ts"
import { requireStamp } from "../../core/stamp/verify.ts"
import { schemeFits } from "../../core/stamp/keys.ts"
import { stampParts } from "../../core/stamp/read-stamp.ts"
import { newOrganization } from "../organization/draft.ts"
import { openSetupCode } from "../provision/setup-code.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import { RequestParts } from "./state/request-parts.ts"
import type { StampedRequest } from "./state/request.ts"
import { inSlices } from "../../core/turns/steps.ts"
import { proofsOf } from "./steps/app-proofs.ts"
import { commit } from "./steps/commit.ts"
import { type ActivityOutcome, NO_DETAILS } from "./steps/outcome.ts"
import { recoverOutcome } from "./steps/replay.ts"
import { makeVote } from "./voting/pending.ts"
import { runActivity } from "./workspace/run-activity.ts"

/** User id of the submission: its submitter becomes a user by it. */
const NO_USER = ""

/**
 * Creates a top-level organization. Its authority is a setup code of the operator; the stamp must be by the key that
 * the code was issued for.
 * @throws SETUP_CODE_INVALID, SETUP_CODE_EXPIRED, SETUP_CODE_OF_ANOTHER_KEY, SETUP_CODE_SPENT, STAMP_INVALID
 */
export async function bootstrapOrganization(request: StampedRequest, deps: ExecutionDeps): Promise<Outcome> {
  const nowMs = deps.nowMs()
  requireSetupCode(request, deps, nowMs)
  const { organizationId, activity, parameters, fingerprint, body } = request
  const earlier = recoverOutcome(request, deps)
  if (earlier !== undefined) return earlier
  if (deps.ledger.head(organizationId) !== undefined) {
    const sentence = "the setup code was used before: every code is good for one organization"
    throw refuse("SETUP_CODE_SPENT", sentence)
  }
  const name = String(parameters.organizationName)
  const organization = newOrganization({ organizationId, parentId: "", name }, nowMs)
  const order = { records: [], fetched: [] }
  const parts = new RequestParts()
  const context = {
    request,
    order,
    organization,
    governing: () => organization,
    isByParent: false,
    parts,
    nowMs,
  }
  const effects = await runActivity(request, { userId: NO_USER, credential: undefined }, context, deps)
  const rootUser = effects.version?.organization.document.users[0]
  requireInvariant(rootUser !== undefined, "a new organization has a user")
  const outcome: ActivityOutcome = {
    organizationId,
    activityId: deps.ids.next(nowMs),
    activityFingerprint: fingerprint,
    voteId: deps.ids.next(nowMs),
    userId: rootUser.userId,
    selection: VoteSelection.APPROVED,
    decidedAtMs: nowMs,
    status: ActivityStatus.COMPLETED,
    details: NO_DETAILS,
    heldPolicyList: new Uint8Array(0),
    effects,
    failure: undefined,
    opened: true,
    vote: undefined,
    appProofs: [],
  }
  const vote = makeVote(outcome, stampParts(request.stamp), nowMs)
  outcome.vote = vote
  if (request.wantsProofs) {
    const { userId: submitterId } = outcome
    const decided = { activity, body, organization: undefined, submitterId, approvals: [vote] }
    outcome.appProofs = await inSlices(proofsOf(outcome, decided, deps), organizationId, deps.turns)
  }
  return commit({ request, outcome, before: undefined }, deps)
}

function requireSetupCode(
  { stamp, body, organizationId, parameters }: StampedRequest,
  deps: ExecutionDeps,
  nowMs: number,
): void {
  const code = openSetupCode(String(parameters.setupCode), deps.keyring.setup)
  const isOfCode = stamp.kind === "api-key" && stamp.publicKeyHex === code.publicKey
  if (!isOfCode || !schemeFits(stamp.scheme, CredentialType.API_KEY_P256))
    throw refuse("SETUP_CODE_OF_ANOTHER_KEY", `the setup code was issued for the key ${code.publicKey}`)
  requireStamp(stamp, body)
  if (organizationId !== code.organizationId) {
    const sentence = `the setup code is for organization id ${code.organizationId}`
    throw refuse("SETUP_CODE_INVALID", sentence, { field: "organizationId" })
  }
  if (code.expiresAtMs <= BigInt(nowMs))
    throw refuse("SETUP_CODE_EXPIRED", "the setup code has expired: ask the operator for a new one")
}
