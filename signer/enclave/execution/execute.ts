import { ActivityStatus } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority, Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Order, Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Deadline } from "../../core/turns/deadline.ts"
import { requireFresh } from "../../core/freshness.ts"
import { compileAll, isCompiled } from "../../core/policy/decision/policy-set.ts"
import { refuse } from "../../core/refusal.ts"
import type { MemberRule } from "../../core/request/read-body.ts"
import { isLargeBody } from "../../core/stamp/large-body.ts"
import { memberRule } from "../../core/request/unknown-members.ts"
import { advance, inSlices, type Steps } from "../../core/turns/steps.ts"
import { eraseOrganization } from "./erase-organization.ts"
import { bootstrapOrganization } from "./bootstrap.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import { type AuthenticatedRequest, readRequest, type StampedRequest } from "./state/request.ts"
import { type ContextNeeded, contextNeededOf } from "./state/context-needed.ts"
import { SuppliedDocuments } from "./state/organizations.ts"
import { authenticate, locate, requireStampOfLargeBody } from "./steps/authenticate.ts"
import { type Denial, isDenial } from "./steps/outcome.ts"
import {
  findReplayed,
  fingerprintShard as fingerprintShardOf,
  recoverOutcome,
  type ReplayedBody,
} from "./steps/replay.ts"
import { Locks } from "./steps/locks.ts"
import { recordDecision } from "./steps/log-decision.ts"
import { requireUnusedToken } from "./steps/token-use.ts"
import {
  decideSubmission,
  makePending,
  mustRunAlone,
  requireOwnVote,
  runSignature,
  runSubmission,
  type DecidedSubmission,
} from "./submission.ts"
import { castVote } from "./vote.ts"
import { PendingActivities } from "./voting/pending-activities.ts"
import { requireServed } from "./workspace/run-activity.ts"

/** Compilations of one request's policies in slices. */
const MAX_COMPILATIONS = 3

/** The kind of an order's request. Nothing of it is stored yet. */
type Plan =
  | { is: "bootstrap" }
  /** The body ran before: this is its outcome. */
  | { is: "recovery"; outcome: Outcome }
  | { is: "vote"; current: AuthenticatedRequest }
  /** The body was carried out and acknowledged. */
  | { is: "replayed"; body: ReplayedBody }
  | { is: "denied"; denial: Denial }
  | { is: "submission"; submission: DecidedSubmission; fingerprintShard: string }

/** The outcome of an order, or why it has none. Other refusals are thrown. */
export type ExecutionResult = Outcome | Denial | ReplayedBody | ContextNeeded

/** Decides orders and runs the allowed ones: the only entrance for anything that uses a key or changes a rule. */
export class Executor {
  readonly #deps: ExecutionDeps
  readonly #members: MemberRule
  readonly #locks = new Locks()
  readonly #pending: PendingActivities
  /** Organizations whose rows are being verified. */
  readonly #preparing = new Map<string, Promise<void>>()

  constructor(deps: ExecutionDeps) {
    this.#deps = deps
    this.#members = memberRule(deps.admittedMembers)
    this.#pending = new PendingActivities(deps)
  }

  /** @throws Refusal with any code except those of phases and transport */
  execute(order: Order, deadline = new Deadline(order.timeoutMs)): Promise<ExecutionResult> {
    return this.#execute(order, deadline).catch(contextNeededOf)
  }

  async #execute(order: Order, deadline: Deadline): Promise<ExecutionResult> {
    deadline.require()
    const ofTurn = order.turnOf === "" ? undefined : this.#prepare(order.turnOf)
    if (ofTurn !== undefined) await ofTurn
    if (isLargeBody(order.body)) await requireStampOfLargeBody(order, this.#deps)
    const request = readRequest(order, this.#members)
    requireFresh(request.timestampMs, this.#deps.nowMs())
    // The reading of a large body ends here, after many turns; the decision begins in another turn.
    if (isLargeBody(order.body)) await this.#deps.turns.run(order.turnOf, () => deadline.require())
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

  /** Erases a deleted organization, in its turn among the changes of the organization. @throws as eraseOrganization */
  erase(organizationId: string): Promise<bigint> {
    return this.#locks.run(organizationId, () => eraseOrganization(organizationId, this.#deps))
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
  async #locked(request: StampedRequest, order: Order, deadline: Deadline): Promise<ExecutionResult> {
    const { organizationId, fingerprint, activity } = request
    const plan = (lockedId: string) => {
      // The request may have waited for others.
      deadline.require()
      return this.#plan(request, order, lockedId)
    }
    const runAlone = (lockedId: string) =>
      this.#locks.run(lockedId, async () => this.#carryOut(await plan(lockedId), request))
    if (activity.authority === Authority.LOGIN) {
      const supplied = new SuppliedDocuments(order.documents, this.#deps.keyring.notary)
      const { id } = locate(request, supplied, this.#deps)
      return runAlone(id)
    }
    if (activity.isOpenToParent) {
      const supplied = new SuppliedDocuments(order.documents, this.#deps.keyring.notary)
      const { parentId } = locate(request, supplied, this.#deps).document
      // The parent's policies may allow it: they stay as they are meanwhile.
      if (parentId !== "") return this.#locks.runShared(parentId, () => runAlone(organizationId))
    }
    if (activity.consequence !== Consequence.CREATES_ORGANIZATION) return runAlone(organizationId)
    const sameBody = `${organizationId}/${fingerprint}`
    const beside = await this.#locks.runShared(organizationId, () =>
      this.#locks.run(sameBody, async () => {
        const planned = await plan(organizationId)
        return needsOrganization(planned) ? undefined : this.#carryOut(planned, request)
      }),
    )
    return beside ?? runAlone(organizationId)
  }

  /**
   * The hot path: it waits for no lock and writes nothing. Undefined when the activity must wait for votes, or is counted by a
   * velocity control. It is then decided again, alone in its organization, and its count is written with it.
   */
  async #sign(request: StampedRequest, order: Order): Promise<Outcome | Denial | undefined> {
    let current = authenticate(request, order, this.#deps)
    if (!isCompiled(current.deciding)) {
      await this.#compile(request, order)
      current = authenticate(request, order, this.#deps)
    }
    requireServed(request.activity)
    if (this.#mayHaveRun(request, current)) return undefined
    const submission = decideSubmission(current, this.#deps)
    if (isDenial(submission)) return this.#denied(submission)
    if (submission.status !== ActivityStatus.COMPLETED || mustRunAlone(submission)) return undefined
    return runSignature(submission, this.#deps)
  }

  /**
   * Compiles the policies of a request's organization in slices. Between the slices other orders may change the organization or
   * remove the credential, and the request's hour may end. So the caller authenticates the request again, and a version that
   * came meanwhile is compiled as well. One that never stays compiled is compiled at once.
   */
  async #compile(request: StampedRequest, order: Order): Promise<void> {
    for (let round = 0; round < MAX_COMPILATIONS; round++) {
      const { deciding } = authenticate(request, order, this.#deps)
      if (isCompiled(deciding)) return
      await inSlices(compileAll(deciding), deciding.id, this.#deps.turns)
    }
  }

  /**
   * True for a signature that was pending or counted, which never runs as a new request. A pending one runs by its votes only,
   * and a counted one is not counted twice.
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

  /** @param lockedId the organization whose lock the order has */
  async #plan(request: StampedRequest, order: Order, lockedId: string): Promise<Plan> {
    const { ledger, keyring } = this.#deps
    if (request.activity.authority === Authority.SETUP_CODE) return { is: "bootstrap" }
    let current = authenticate(request, order, this.#deps)
    if (!isCompiled(current.deciding)) {
      await this.#compile(request, order)
      current = authenticate(request, order, this.#deps)
    }
    if (current.organization.id !== lockedId) throw movedMeanwhile()
    await this.#pending.endExpired(lockedId, current.nowMs)
    const outcome = recoverOutcome(request, this.#deps)
    if (outcome !== undefined) return { is: "recovery", outcome }
    if (request.activity.authority === Authority.VOTE || this.#pending.has(lockedId, request.fingerprint)) {
      requireOwnVote(current)
      return { is: "vote", current }
    }
    const fingerprintShard = fingerprintShardOf(request, current.organization, keyring)
    const body = findReplayed(request, fingerprintShard, ledger, current.owner.user.userId)
    if (body !== undefined) return { is: "replayed", body }
    requireUnusedToken(request, this.#deps)
    requireServed(request.activity)
    const submission = decideSubmission(current, this.#deps)
    return isDenial(submission)
      ? { is: "denied", denial: submission }
      : { is: "submission", submission, fingerprintShard }
  }

  #denied(denial: Denial): Denial {
    return { ...denial, logReceipt: recordDecision(denial.outcome, this.#deps) }
  }

  async #carryOut(plan: Plan, request: StampedRequest): Promise<ExecutionResult> {
    switch (plan.is) {
      case "bootstrap":
        // Checked again: the request may have waited for others, and fingerprints are forgotten after an hour.
        requireFresh(request.timestampMs, this.#deps.nowMs())
        return bootstrapOrganization(request, this.#deps)
      case "recovery":
        return plan.outcome
      case "replayed":
        return plan.body
      case "denied":
        return this.#denied(plan.denial)
      case "vote":
        return castVote(plan.current, this.#pending, this.#deps)
      case "submission":
        if (plan.submission.status !== ActivityStatus.COMPLETED)
          return makePending(plan.submission, this.#pending, this.#deps)
        return runSubmission(plan.submission, plan.fingerprintShard, this.#deps)
      default:
        return plan satisfies never
    }
  }
}

/** A vote may complete an activity that is counted. */
function needsOrganization(plan: Plan): boolean {
  return plan.is === "vote" || (plan.is === "submission" && mustRunAlone(plan.submission))
}

function movedMeanwhile() {
  return refuse("ORGANIZATION_BUSY", "the credential moved to another organization meanwhile; send it again")
}
