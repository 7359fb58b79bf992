import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { newOrganization } from "../organization/draft.ts"
import { openSetupCode } from "../provision/setup-code.ts"
import { refuse } from "../../core/refusal.ts"
import { requireStamp, schemeFits, stampParts } from "../../core/stamp/index.ts"
import { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { proofsOf } from "./steps/app-proofs.ts"
import { commit } from "./steps/commit.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import { recoverOutcome } from "./steps/replay.ts"
import type { Request } from "./state/request.ts"
import { runActivity } from "./workspace/run.ts"
import { UNRULED } from "./steps/outcome.ts"
import { makeVote } from "./voting/votes.ts"

/**
 * Gives birth to a top-level organization. The authority is a setup code of the operator; the stamp must be by
 * the key the code was issued for.
 *
 * @throws SETUP_CODE_INVALID, SETUP_CODE_EXPIRED, SETUP_CODE_OF_ANOTHER_KEY, SETUP_CODE_SPENT, STAMP_INVALID
 */
export async function giveBirth(request: Request, deps: ExecutionDeps): Promise<Outcome> {
  const nowMs = deps.nowMs()
  requireCode(request, deps, nowMs)
  const { organizationId, activity, parameters, fingerprint } = request
  const earlier = recoverOutcome(request, deps.ledger)
  if (earlier !== undefined) return earlier
  if (deps.ledger.head(organizationId) !== undefined) {
    throw refuse(
      "SETUP_CODE_SPENT",
      "the setup code was used before: every code is good for one organization",
    )
  }
  const name = String(parameters.organizationName)
  const newborn = newOrganization({ organizationId, parentId: "", name }, nowMs)
  const supply = { organizationId, fingerprint, records: [] }
  const place = { organization: newborn, userId: NOBODY, supply, governing: () => newborn, nowMs }
  const effects = runActivity({ activity, parameters, ...place }, deps)
  const rootUser = effects.changed?.organization.document.users[0]
  if (effects.changed === undefined || rootUser === undefined) throw new Error("a birth makes a document")
  const settled = {
    organizationId,
    activityId: deps.ids.next(nowMs),
    activityFingerprint: fingerprint,
    status: ActivityStatus.COMPLETED,
    result: effects.result,
  }
  const evidence = stampParts(request.stamp)
  const voteId = deps.ids.next(nowMs)
  const vote = makeVote(evidence, new Uint8Array(0), rootUser, VoteSelection.APPROVED, voteId, nowMs)
  const { body } = request
  // There was no organization yet whose data could have decided.
  const ground = {
    activityType: activity.type,
    body,
    organization: undefined,
    submitterId: rootUser.userId,
    approvals: [vote],
    nowMs,
  }
  const settlement = {
    ...settled,
    vote,
    document: effects.changed.notarized,
    records: effects.changes.records,
    born: effects.born,
    opened: true,
    appProofs: request.wantsProofs ? proofsOf(settled, ground, effects, deps) : [],
    ruling: UNRULED,
  }
  return commit({ request, settlement, before: undefined, effects, waited: undefined }, deps)
}

/** Who submits a birth becomes a user by it. */
const NOBODY = ""

/** Nobody has set anything yet. */

function requireCode(
  { stamp, body, organizationId, parameters }: Request,
  deps: ExecutionDeps,
  nowMs: number,
) {
  const code = openSetupCode(String(parameters.setupCode), deps.keyring.setup)
  const isOfCode = stamp.kind === "api-key" && stamp.publicKeyHex === code.publicKey
  if (!isOfCode || !schemeFits(stamp.scheme, CredentialType.API_KEY_P256)) {
    throw refuse("SETUP_CODE_OF_ANOTHER_KEY", `the setup code was issued for the key ${code.publicKey}`)
  }
  requireStamp(stamp, body)
  if (organizationId !== code.organizationId) {
    throw refuse("SETUP_CODE_INVALID", `the setup code is for organization id ${code.organizationId}`, {
      field: "organizationId",
    })
  }
  if (code.expiresAtMs <= BigInt(nowMs)) {
    throw refuse("SETUP_CODE_EXPIRED", "the setup code has expired: ask the operator for a new one")
  }
}
