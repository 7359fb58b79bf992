import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority, Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { AppProof } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Order, Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Vote } from "../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { type Decision, decide } from "../../core/policy/decision/decide.ts"
import type { PolicyOutcome } from "../../core/policy/decision/policy-evaluator.ts"
import { eligibleVoterIds } from "../../core/policy/decision/voters.ts"
import type { MfaProgress } from "../../core/policy/decision/mfa.ts"
import type { DecisionInput } from "../../core/policy/decision/decision-input.ts"
import { refuse } from "../../core/refusal.ts"
import { denialName, proofsOf, type Settled } from "./steps/app-proofs.ts"
import { giveBirth } from "./bootstrap.ts"
import { type Case, locateOrder, openCase, supplyOf } from "./steps/authenticated-request.ts"
import { commit } from "./steps/commit.ts"
import { type Denial, Denied } from "./steps/denied.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import { requireNew } from "./steps/fingerprints.ts"
import { requireLive } from "../../core/liveness.ts"
import { Locks } from "./steps/locks.ts"
import { newPending, PendingActivities } from "./voting/pending.ts"
import { makeQuestion } from "./steps/decision-input.ts"
import { readRequest, type Request } from "./state/request.ts"
import { type Effects, requireServed, runActivity } from "./workspace/run.ts"
import { approvalOf, originOf } from "./state/credential-owner.ts"
import { type Ruling, type Settlement, signingOutcome } from "./steps/outcome.ts"
import { recoverOutcome } from "./steps/replay.ts"
import { isOpen, standingsOf } from "./voting/mfa-progress.ts"
import { castVote } from "./vote.ts"
import { evidenceOf, makeVote } from "./voting/votes.ts"

/** A question and its answer. */
type Decided = {
  question: DecisionInput
  decision: Decision
  standings: readonly MfaProgress[]
  /** Nothing runs yet: more have to approve, or the submitter has to prove more. */
  waits: boolean
}

const NOTHING = new Uint8Array(0)

/** Decides orders and runs the allowed ones. The only way in for anything that uses a key or changes a rule. */
export class Executor {
  readonly #deps: ExecutionDeps
  readonly #locks = new Locks()
  readonly #pending: PendingActivities

  constructor(deps: ExecutionDeps) {
    this.#deps = deps
    this.#pending = new PendingActivities(deps.ledger)
  }

  /**
   * @throws Refusal, with any code but those of phases and transport
   * @throws ContextNeeded, when the order must be sent again with more context
   */
  async execute(order: Order): Promise<Outcome> {
    const request = readRequest(order)
    requireLive(request.timestampMs, this.#deps.nowMs())
    if (request.activity.consequence === Consequence.SIGNS) {
      const outcome = this.#signNow(request, order)
      if (outcome !== undefined) return outcome
    }
    return this.#inTurn(request, order, (turnOf) => this.#change(request, order, turnOf))
  }

  /**
   * Changes of one organization take turns. What founds others leaves its own as it is: of its kind only the same
   * body twice has to wait. A login that names a parent waits in the line of the organization that it is for.
   */
  #inTurn(request: Request, order: Order, task: (turnOf: string) => Promise<Outcome>): Promise<Outcome> {
    const { organizationId, fingerprint, activity } = request
    if (activity.authority === Authority.LOGIN) {
      const { id } = locateOrder(request, order, this.#deps).organization
      return this.#locks.run(id, () => task(id))
    }
    const inTurn = () => task(organizationId)
    if (activity.consequence !== Consequence.CREATES_ORGANIZATION)
      return this.#locks.run(organizationId, inTurn)
    const oneBody = () => this.#locks.run(`${organizationId}/${fingerprint}`, inTurn)
    return this.#locks.runShared(organizationId, oneBody)
  }

  /** The hot path: no wait, no write. Undefined when the activity has to wait for votes. */
  #signNow(request: Request, order: Order): Outcome | undefined {
    const current = openCase(request, order, this.#deps)
    requireServed(request.activity)
    if (this.#waitsOrWaited(request)) return undefined
    const { decision, standings, waits } = this.#decide(current)
    if (waits) return undefined
    const effects = this.#run(current)
    const { result } = effects
    const { nowMs, holder } = current
    const { ids } = this.#deps
    const signing = { activityId: ids.next(nowMs), voteId: ids.next(nowMs), userId: holder.user.userId }
    const { organizationId, fingerprint: activityFingerprint } = request
    const status = ActivityStatus.COMPLETED
    const settled = { ...signing, organizationId, activityFingerprint, status, result }
    const appProofs = request.wantsProofs ? this.#prove(settled, current, this.#vote(current), effects) : []
    const { policyOutcomes } = decision
    return signingOutcome({ ...signing, nowMs, result, appProofs, policyOutcomes, standings })
  }

  /** A signature that once waited for votes is settled: as it was decided then, or never again. */
  #waitsOrWaited({ organizationId, fingerprint }: Request): boolean {
    if (!this.#pending.mayHaveWaited(organizationId)) return false
    if (this.#pending.has(organizationId, fingerprint)) return true
    return this.#deps.ledger.row(organizationId, "fingerprint", fingerprint) !== undefined
  }

  async #change(request: Request, order: Order, turnOf: string): Promise<Outcome> {
    // Again: it may have waited for others, and a fingerprint is forgotten when its hour is over.
    requireLive(request.timestampMs, this.#deps.nowMs())
    if (request.activity.authority === Authority.SETUP_CODE) return giveBirth(request, this.#deps)
    const current = openCase(request, order, this.#deps)
    if (current.organization.id !== turnOf) throw movedMeanwhile()
    const earlier = recoverOutcome(request, this.#deps.ledger)
    if (earlier !== undefined) return earlier
    const waiting = this.#pending.get(turnOf, request.fingerprint)
    if (request.activity.authority === Authority.VOTE || waiting !== undefined) {
      return castVote(current, this.#pending, this.#deps)
    }
    requireNew(request, current.fingerprintBook, this.#deps.ledger)
    requireServed(request.activity)
    const decided = this.#decide(current)
    if (decided.waits) return this.#wait(current, decided)
    const effects = this.#run(current)
    const { decision, standings } = decided
    const ruling = { policyOutcomes: decision.policyOutcomes, voterIds: [], standings }
    const settlement = this.#settled(current, ActivityStatus.COMPLETED, ruling, effects)
    const { organization: before, fingerprintBook: book } = current
    return commit(
      { request, settlement, before, effects, waited: undefined, fingerprintBook: book },
      this.#deps,
    )
  }

  /** @throws PERMISSION_DENIED, and what makeQuestion throws */
  #decide(current: Case): Decided {
    const { request, organization, holder, nowMs } = current
    const { activity, parameters } = request
    const { user } = holder
    const approvals = [approvalOf(holder)]
    const matter = { organization, activity, parameters, submitterId: user.userId, approvals, nowMs }
    const question = makeQuestion(matter, this.#deps)
    const decision = decide(question)
    if (decision.outcome !== "deny") {
      const standings = standingsOf(question)
      const waits = decision.outcome === "consensus" || isOpen(standings, user.userId)
      return { question, decision, standings, waits }
    }
    throw new Denied(decision.reason, this.#denial(current, decision.policyOutcomes))
  }

  #denial(current: Case, policyOutcomes: readonly PolicyOutcome[]): Denial {
    const { request, organization, holder, nowMs } = current
    const settled: Settled = {
      organizationId: organization.id,
      activityId: this.#deps.ids.next(nowMs),
      activityFingerprint: request.fingerprint,
      status: ActivityStatus.FAILED,
      result: undefined,
      denial: denialName(policyOutcomes),
    }
    const vote = this.#vote(current)
    return {
      organizationId: settled.organizationId,
      activityId: settled.activityId,
      voteId: vote.voteId,
      userId: holder.user.userId,
      decidedAtMs: nowMs,
      policyOutcomes,
      appProofs: request.wantsProofs ? this.#prove(settled, current, vote, undefined) : [],
    }
  }

  #run({ request, organization, holder, governing, nowMs, order }: Case) {
    const { activity, parameters } = request
    const { userId } = holder.user
    const origin = originOf(holder)
    const supply = supplyOf(request, order)
    const place = { organization, userId, origin, supply, governing, nowMs }
    return runActivity({ activity, parameters, ...place }, this.#deps)
  }

  /**
   * Keeps the activity until enough have approved, and its submitter has proven what he must. What it asks for must be
   * possible now.
   *
   * @throws LOGIN_ORGANIZATION_NEEDED, LIMIT_EXCEEDED, what checking the activity's parameters throws
   */
  async #wait(current: Case, { question, decision, standings }: Decided): Promise<Outcome> {
    const { organizationId, fingerprint, body, activity, parameters } = current.request
    if (organizationId !== current.organization.id) throw waitsInFamily(current.organization.id)
    requireServed(activity).check?.(parameters as never)
    const isOfRoot = current.organization.isRoot(current.holder.user.userId)
    this.#pending.requireRoom(organizationId, body.length, isOfRoot)
    const ruling = {
      policyOutcomes: decision.policyOutcomes,
      voterIds: eligibleVoterIds(question),
      standings,
    }
    const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED } = ActivityStatus
    const isProven = !isOpen(standings, current.holder.user.userId)
    const settlement = this.#settled(current, isProven ? CONSENSUS_NEEDED : AUTHENTICATORS_NEEDED, ruling)
    const pending = newPending(settlement, current)
    const { request } = current
    const outcome = await commit(
      { request, settlement, before: current.organization, effects: undefined, pending, waited: undefined },
      this.#deps,
    )
    this.#pending.put(organizationId, fingerprint, body.length)
    return outcome
  }

  #settled(current: Case, status: ActivityStatus, ruling: Ruling, effects?: Effects): Settlement {
    const { request, organization, nowMs } = current
    const settled = {
      organizationId: organization.id,
      activityId: this.#deps.ids.next(nowMs),
      activityFingerprint: request.fingerprint,
      status,
      result: effects?.result,
    }
    const vote = this.#vote(current)
    return {
      ...settled,
      vote,
      document: effects?.changed?.notarized,
      records: effects?.changes.records ?? [],
      born: effects?.born ?? [],
      opened: true,
      ruling,
      appProofs: request.wantsProofs ? this.#prove(settled, current, vote, effects) : [],
    }
  }

  /** The submission is the first approval. */
  #vote({ request, holder, nowMs }: Case): Vote {
    const id = this.#deps.ids.next(nowMs)
    return makeVote(evidenceOf(request, holder), NOTHING, holder.user, VoteSelection.APPROVED, id, nowMs)
  }

  #prove(settled: Settled, current: Case, vote: Vote, effects: Effects | undefined): AppProof[] {
    const { request, organization, holder, nowMs } = current
    const { activity, body } = request
    const submitterId = holder.user.userId
    // Who has yet to prove more of himself does not count.
    const approvals = settled.status === ActivityStatus.AUTHENTICATORS_NEEDED ? [] : [vote]
    const ground = { activityType: activity.type, body, organization, submitterId, approvals, nowMs }
    return proofsOf(settled, ground, effects, this.#deps)
  }
}

/** What waits is kept, and voted on, where it belongs: its body must not be able to log in elsewhere meanwhile. */
function waitsInFamily(organizationId: string) {
  const sentence = `an MFA policy makes this login wait: name organization ${organizationId} in the body`
  return refuse("LOGIN_ORGANIZATION_NEEDED", sentence, { field: "organizationId" })
}

/** The identity changed hands while the login waited. */
function movedMeanwhile() {
  return refuse("ORGANIZATION_BUSY", "the credential moved to another organization meanwhile; send it again")
}
