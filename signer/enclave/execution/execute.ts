import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority, Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Order, Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { DecisionInput } from "../../core/policy/decision/decision-input.ts"
import { Deadline } from "../../core/turns/deadline.ts"
import { requireLive } from "../../core/liveness.ts"
import { decide } from "../../core/policy/decision/decide.ts"
import { exceededControls } from "../../core/policy/decision/exceeded-controls.ts"
import { compileAll, isCompiled } from "../../core/policy/decision/policy-set.ts"
import { eligibleVotersInSteps } from "../../core/policy/decision/policy-evaluator.ts"
import { refuse } from "../../core/refusal.ts"
import { advance, inSlices, type Steps } from "../../core/turns/steps.ts"
import { isCounted } from "../../core/velocity/counting.ts"
import { bootstrapOrganization } from "./bootstrap.ts"
import { approvalOf } from "./state/credential-owner.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import { type AuthenticatedRequest, readRequest, type StampedRequest } from "./state/request.ts"
import { SuppliedDocuments } from "./state/organizations.ts"
import { proofsOf } from "./steps/app-proofs.ts"
import { authenticate, locate, requireStampOfLargeBody } from "./steps/authenticate.ts"
import { commit } from "./steps/commit.ts"
import { makeDecisionInput } from "./steps/decision-input.ts"
import { fingerprintShard, recoverOutcome, requireNew } from "./steps/replay.ts"
import { Locks } from "./steps/locks.ts"
import { type ActivityOutcome, type DecisionDetails, Denied, writeOutcome } from "./steps/outcome.ts"
import { castVote } from "./vote.ts"
import { isMfaPending, mfaProgressOf } from "./voting/mfa-progress.ts"
import { evidenceOf, makeVote, newPending } from "./voting/pending.ts"
import { PendingActivities } from "./voting/pending-activities.ts"
import { type ActivityEffects, checkInSteps, requireServed, runActivity } from "./workspace/workspace.ts"

const { COMPLETED, CONSENSUS_NEEDED, AUTHENTICATORS_NEEDED, FAILED } = ActivityStatus

/** Compilations of one request's policies in slices. */
const MAX_COMPILATIONS = 3

type Decided = { input: DecisionInput; status: ActivityStatus; details: DecisionDetails }

/** Decides orders and runs the allowed ones: the only entrance for anything that uses a key or changes a rule. */
export class Executor {
  readonly #deps: ExecutionDeps
  readonly #locks = new Locks()
  readonly #pending: PendingActivities
  /** Organizations whose rows are being verified. */
  readonly #preparing = new Map<string, Promise<void>>()

  constructor(deps: ExecutionDeps) {
    this.#deps = deps
    this.#pending = new PendingActivities(deps)
  }

  /**
   * @throws Refusal with any code except those of phases and transport
   * @throws ContextNeeded when the order must be sent again with more context
   */
  async execute(order: Order, deadline = new Deadline(order.timeoutMs)): Promise<Outcome> {
    deadline.require()
    const ofTurn = order.turnOf === "" ? undefined : this.#prepare(order.turnOf)
    if (ofTurn !== undefined) await ofTurn
    requireStampOfLargeBody(order, this.#deps)
    const request = readRequest(order)
    requireLive(request.timestampMs, this.#deps.nowMs())
    const ofBody = request.organizationId === order.turnOf ? undefined : this.#prepare(request.organizationId)
    if (ofBody !== undefined) await ofBody
    if (request.activity.consequence === Consequence.SIGNS) {
      const outcome = await this.#sign(request, order)
      if (outcome !== undefined) return outcome
    }
    return this.#locked(request, order, deadline)
  }

  /** Ends the organization's activities that have waited too long. @throws CLOCK_UNTRUSTED, LEDGER_OLDER, LEDGER_FULL */
  endExpired(organizationId: string): Promise<void> {
    return this.#locks.run(organizationId, () => this.#pending.endExpired(organizationId, this.#deps.nowMs()))
  }

  /**
   * Verifies an organization's own rows in the ledger in slices: the first access after a start would verify up to a
   * thousand at once. Orders that come meanwhile wait for the same slices. Undefined: they are verified.
   * @throws LEDGER_DAMAGED
   */
  #prepare(organizationId: string): Promise<void> | undefined {
    const known = this.#preparing.get(organizationId)
    if (known !== undefined) return known
    const steps = this.#deps.ledger.prepare(organizationId, [])
    if (advance(steps).done === true) return undefined
    const preparing = this.#finish(steps, organizationId).finally(() =>
      this.#preparing.delete(organizationId),
    )
    this.#preparing.set(organizationId, preparing)
    return preparing
  }

  async #finish(steps: Steps<void>, organizationId: string): Promise<void> {
    while ((await this.#deps.turns.run(organizationId, () => advance(steps))).done !== true) {
      // Each turn runs one step.
    }
  }

  /**
   * Changes of one organization run one after another. Activities that create sub-organizations leave their own as it
   * is: only the same body waits for itself, unless a velocity control counts it. A login that names a parent waits for
   * the organization that it is for.
   */
  async #locked(request: StampedRequest, order: Order, deadline: Deadline): Promise<Outcome> {
    const { organizationId, fingerprint, activity } = request
    const change = (lockedId: string) => async () => {
      // The request may have waited for others.
      deadline.require()
      return requireRun(await this.#change(request, order, lockedId, true))
    }
    if (activity.authority === Authority.LOGIN) {
      const supplied = new SuppliedDocuments(order.documents, this.#deps.keyring.notary)
      const { id } = locate(request, supplied, this.#deps)
      return this.#locks.run(id, change(id))
    }
    if (activity.consequence !== Consequence.CREATES_ORGANIZATION)
      return this.#locks.run(organizationId, change(organizationId))
    const sameBody = `${organizationId}/${fingerprint}`
    const beside = await this.#locks.runShared(organizationId, () =>
      this.#locks.run(sameBody, async () => {
        deadline.require()
        return this.#change(request, order, organizationId, false)
      }),
    )
    return beside ?? this.#locks.run(organizationId, change(organizationId))
  }

  /**
   * The hot path: it waits for no lock and writes nothing. Undefined when the activity must wait for votes, or is counted
   * by a velocity control: then it is decided again, alone in its organization, and what it counts is written with it.
   */
  async #sign(request: StampedRequest, order: Order): Promise<Outcome | undefined> {
    let current = authenticate(request, order, this.#deps)
    if (!isCompiled(current.organization)) {
      await this.#compile(request, order)
      current = authenticate(request, order, this.#deps)
    }
    requireServed(request.activity)
    if (this.#mayHaveRun(request, current)) return undefined
    const { input, status, details } = this.#decide(current)
    if (status !== COMPLETED || isCounted(input.controls)) return undefined
    const effects = await this.#run(current)
    return writeOutcome(this.#outcome(current, status, details, effects, request.wantsProofs))
  }

  /**
   * Compiles the policies of a request's organization in slices. Between the slices other orders may change the
   * organization or remove the credential, and the request's hour may end. So the caller authenticates the request again,
   * and a version that came meanwhile is compiled as well; one that never stays compiled is compiled at once.
   */
  async #compile(request: StampedRequest, order: Order): Promise<void> {
    for (let round = 0; round < MAX_COMPILATIONS; round++) {
      const { organization } = authenticate(request, order, this.#deps)
      if (isCompiled(organization)) return
      await inSlices(compileAll(organization), organization.id, this.#deps.turns)
    }
  }

  /**
   * True for a signature that was pending, which runs by its votes only, or was counted, which is not counted twice: never
   * as a new request.
   */
  #mayHaveRun(
    { organizationId, fingerprint }: StampedRequest,
    { organization }: AuthenticatedRequest,
  ): boolean {
    const hasControls = organization.document.velocityControls.length > 0
    if (!hasControls && !this.#pending.hasHadPending(organizationId)) return false
    if (this.#pending.has(organizationId, fingerprint)) return true
    return this.#deps.ledger.row(organizationId, "fingerprint", fingerprint) !== undefined
  }

  /** @param isAlone false: a request that is counted, and a vote, which may complete one, do not run; undefined */
  async #change(
    request: StampedRequest,
    order: Order,
    lockedId: string,
    isAlone: boolean,
  ): Promise<Outcome | undefined> {
    const { ledger, keyring, nowMs } = this.#deps
    if (request.activity.authority === Authority.SETUP_CODE) {
      // Checked again: the request may have waited for others, and fingerprints are forgotten after an hour.
      requireLive(request.timestampMs, nowMs())
      return bootstrapOrganization(request, this.#deps)
    }
    let current = authenticate(request, order, this.#deps)
    if (!isCompiled(current.organization)) {
      await this.#compile(request, order)
      current = authenticate(request, order, this.#deps)
    }
    if (current.organization.id !== lockedId) throw movedMeanwhile()
    await this.#pending.endExpired(lockedId, current.nowMs)
    const earlier = recoverOutcome(request, ledger)
    if (earlier !== undefined) return earlier
    if (request.activity.authority === Authority.VOTE || this.#pending.has(lockedId, request.fingerprint))
      return isAlone ? castVote(current, this.#pending, this.#deps) : undefined
    const shard = fingerprintShard(request, current.organization, keyring)
    requireNew(request, shard, ledger)
    requireServed(request.activity)
    const { input, status, details } = this.#decide(current)
    if (status !== COMPLETED) return this.#wait(current, { input, status, details })
    const { controls } = input
    if (!isAlone && isCounted(controls)) return undefined
    const outcome = this.#outcome(current, status, details, await this.#run(current))
    const before = current.organization
    return commit({ request, outcome, before, controls, fingerprintShard: shard }, this.#deps)
  }

  /** @throws PERMISSION_DENIED, VELOCITY_CONTROL_EXCEEDED, the codes of makeDecisionInput */
  #decide(current: AuthenticatedRequest): Decided {
    const { request, owner } = current
    const { userId } = owner.user
    const input = makeDecisionInput(request, current, userId, [approvalOf(owner)], this.#deps)
    const decision = decide(input)
    const { outcome, policyOutcomes } = decision
    if (decision.outcome === "deny") {
      const details = { policyOutcomes, voterIds: [], mfaProgress: [] }
      const denied = this.#outcome(current, FAILED, details, undefined, request.wantsProofs)
      throw new Denied(decision.reason, denied, exceededControls(input))
    }
    const mfaProgress = mfaProgressOf(input)
    const details = { policyOutcomes, voterIds: [], mfaProgress }
    if (isMfaPending(mfaProgress, userId)) return { input, status: AUTHENTICATORS_NEEDED, details }
    return { input, status: outcome === "consensus" ? CONSENSUS_NEEDED : COMPLETED, details }
  }

  #run(current: AuthenticatedRequest): Promise<ActivityEffects> {
    const { request, owner } = current
    return runActivity(request, owner.user.userId, owner, current, this.#deps)
  }

  /**
   * Stores the activity until enough users have approved it and its submitter has satisfied their MFA policies.
   * Parameters that could never run are refused now.
   * @throws LOGIN_ORGANIZATION_NEEDED, LIMIT_EXCEEDED, the codes of the activity's check
   */
  async #wait(current: AuthenticatedRequest, { input, status, details }: Decided): Promise<Outcome> {
    const { request, organization, owner } = current
    const { organizationId, fingerprint, body, activity, parameters, timestampMs } = request
    if (organizationId !== organization.id) throw waitsInSubOrganization(organization.id)
    await inSlices(checkInSteps(activity, parameters), organizationId, this.#deps.turns)
    this.#pending.requireRoom(organizationId, body.length, organization.isRoot(owner.user.userId))
    const voterIds = await inSlices(eligibleVotersInSteps(input), organizationId, this.#deps.turns)
    const waiting = { ...details, voterIds }
    const outcome = this.#outcome(current, status, waiting, undefined)
    const pending = { stored: newPending(outcome, body), timestampMs }
    const reply = await commit({ request, outcome, before: organization, pending }, this.#deps)
    this.#pending.put(organizationId, fingerprint, { size: body.length, createdAtMs: outcome.decidedAtMs })
    return reply
  }

  /** The outcome of a submission, whose stamp is the first approval. `keepsVote`: it is stored or proven. */
  #outcome(
    current: AuthenticatedRequest,
    status: ActivityStatus,
    details: DecisionDetails,
    effects: ActivityEffects | undefined,
    keepsVote = true,
  ): ActivityOutcome {
    const { request, organization, owner, nowMs } = current
    const { ids } = this.#deps
    const outcome: ActivityOutcome = {
      organizationId: organization.id,
      activityId: ids.next(nowMs),
      activityFingerprint: request.fingerprint,
      voteId: ids.next(nowMs),
      userId: owner.user.userId,
      selection: VoteSelection.APPROVED,
      decidedAtMs: nowMs,
      status,
      details,
      effects,
      failure: undefined,
      opened: true,
      vote: undefined,
      appProofs: [],
    }
    if (!keepsVote) return outcome
    const vote = makeVote(outcome, evidenceOf(current), nowMs)
    outcome.vote = vote
    if (!request.wantsProofs) return outcome
    // An approval does not count before its user has satisfied their MFA policies.
    const approvals = status === AUTHENTICATORS_NEEDED ? [] : [vote]
    const { activity, body } = request
    const decided = { activity, body, organization, submitterId: outcome.userId, approvals }
    outcome.appProofs = proofsOf(outcome, decided, this.#deps)
    return outcome
  }
}

/** The outcome of a request that had its organization for itself. */
function requireRun(outcome: Outcome | undefined): Outcome {
  if (outcome === undefined) throw new Error("a request that is alone runs")
  return outcome
}

/** A pending login is stored and voted on in its own organization, so its body must not log in elsewhere meanwhile. */
function waitsInSubOrganization(organizationId: string) {
  const sentence = `an MFA policy makes this login wait: name organization ${organizationId} in the body`
  return refuse("LOGIN_ORGANIZATION_NEEDED", sentence, { field: "organizationId" })
}

function movedMeanwhile() {
  return refuse("ORGANIZATION_BUSY", "the credential moved to another organization meanwhile; send it again")
}
