import { create } from "@bufbuild/protobuf"
import { VoteSelection } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { PendingActivity, Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import {
  PendingActivitySchema,
  StampSchema,
  VoteSchema,
} from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { VOTE_LIFETIME_MS } from "../../../core/freshness.ts"
import type { Approval, DecisionInput } from "../../../core/policy/decision/decision-input.ts"
import type { MfaProgress } from "../../../core/policy/decision/mfa.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import { type StampParts, stampParts } from "../../../core/stamp/read-stamp.ts"
import { type CredentialOwner, approvalOf, findOwner } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { type AuthenticatedRequest, readPendingBody } from "../state/request.ts"
import { makeDecisionInput } from "../steps/decision-input.ts"
import type { PendingState } from "../steps/replay.ts"
import { type ActivityOutcome, requireFinal } from "../steps/outcome.ts"
import { mfaProgressOf } from "./mfa-progress.ts"

/** Votes stored with one activity, lapsed ones included: each vote writes its row again. */
const MAX_VOTES = 500

/** A new pending activity, with its submission as the first vote. */
export function newPending(
  { activityId, organizationId, decidedAtMs, vote }: ActivityOutcome,
  body: Uint8Array,
): PendingActivity {
  const createdAtMs = BigInt(decidedAtMs)
  const submission = { activityId, organizationId, body, createdAtMs }
  return create(PendingActivitySchema, { ...submission, ...(vote && { votes: [vote] }) })
}

/** A pending activity as one vote finds it: its body parsed once, its decision input made once, when first needed. */
export class PendingRequest implements PendingState {
  readonly stored: PendingActivity
  readonly parsed: ReturnType<typeof readPendingBody>
  readonly #current: AuthenticatedRequest
  readonly #deps: ExecutionDeps
  #approvals: readonly Approval[] | undefined
  #input: DecisionInput | undefined
  #mfaProgress: readonly MfaProgress[] | undefined

  constructor(stored: PendingActivity, current: AuthenticatedRequest, deps: ExecutionDeps) {
    this.stored = stored
    this.parsed = readPendingBody(stored.body)
    this.#current = current
    this.#deps = deps
    lapseVotes(stored.votes, current.nowMs)
  }

  get timestampMs(): number {
    return this.parsed.timestampMs
  }

  /** Id of the user who submitted the activity: the first vote ever cast on it. */
  get submitterId(): string {
    return this.stored.votes[0]?.userId ?? ""
  }

  /** Owner of the credential that submitted the activity; undefined: the submission no longer counts. */
  submissionOwner(): CredentialOwner | undefined {
    const [submission] = this.stored.votes
    return submission && this.#ownerOf(submission)
  }

  /** True if one of the user's votes still counts. */
  hasVoted(userId: string): boolean {
    return this.stored.votes.some((vote) => vote.userId === userId && this.#ownerOf(vote) !== undefined)
  }

  /** The approving votes that count now. */
  approvingVotes(): Vote[] {
    return this.stored.votes.filter((vote) => isApproval(vote) && this.#ownerOf(vote) !== undefined)
  }

  /** Approvals that count now, one per user in order of first vote, with the credentials of all their votes. */
  get approvals(): readonly Approval[] {
    this.#approvals ??= this.stored.votes.reduce<readonly Approval[]>((approvals, vote) => {
      const owner = isApproval(vote) ? this.#ownerOf(vote) : undefined
      return owner === undefined ? approvals : withApproval(approvals, approvalOf(owner))
    }, [])
    return this.#approvals
  }

  /**
   * The refusal that ends the activity before any decision: policies read something that is gone for good.
   * @throws the codes of makeDecisionInput that leave it waiting
   */
  get failure(): Refusal | undefined {
    try {
      void this.input
      return undefined
    } catch (error) {
      return requireFinal(error)
    }
  }

  /** The decision input without its facts, which may be gone. */
  get inputWithoutFacts(): Omit<DecisionInput, "facts"> {
    const { organization, nowMs } = this.#current
    const { activity, parameters } = this.parsed
    const { submitterId, approvals } = this
    return { organization, nowMs, activity, parameters, submitterId, approvals }
  }

  /** The decision input with these approvals. @throws the codes of makeDecisionInput */
  get input(): DecisionInput {
    const { parsed, submitterId, approvals } = this
    this.#input ??= makeDecisionInput(parsed, this.#current, submitterId, approvals, this.#deps)
    return this.#input
  }

  get mfaProgress(): readonly MfaProgress[] {
    this.#mfaProgress ??= mfaProgressOf(this.input)
    return this.#mfaProgress
  }

  /**
   * Adds the request's vote. Facts are gathered again only when the voter's MFA policies may read more.
   * @throws LIMIT_EXCEEDED
   */
  add(vote: Vote): void {
    if (this.stored.votes.length >= MAX_VOTES)
      throw refuse(
        "LIMIT_EXCEEDED",
        `an activity takes at most ${MAX_VOTES} votes, lapsed ones included: reject it and submit it again`,
      )
    const { owner } = this.#current
    const { userId, mfaPolicies } = owner.user
    const earlier = this.approvals
    const isKnown =
      mfaPolicies.length === 0 ||
      userId === this.submitterId ||
      earlier.some(({ user }) => user.userId === userId)
    this.stored.votes.push(vote)
    const approvals = withApproval(earlier, approvalOf(owner))
    this.#approvals = approvals
    this.#input = isKnown && this.#input ? { ...this.#input, approvals } : undefined
    this.#mfaProgress = undefined
  }

  /**
   * Owner of the credential of a vote; undefined: the vote no longer counts. It counts until it lapses and while its key is one
   * of its user's. Removing a stolen key or ending a session takes back the votes made with it. A passkey that was registered
   * again under its id, with another key, is another credential.
   */
  #ownerOf(vote: Vote): CredentialOwner | undefined {
    if (vote.lapsedAtMs !== 0n || vote.stamp === undefined) return undefined
    const { credential, publicKey } = vote.stamp
    const { organization, nowMs } = this.#current
    const owner = findOwner(organization, credential, this.#deps.sessions)
    if (owner?.user.userId !== vote.userId) return undefined
    return isCurrent(owner, publicKey, nowMs) ? owner : undefined
  }
}

/** @param publicKey in the vote's stamp */
function isCurrent(owner: CredentialOwner, publicKey: string, nowMs: number): boolean {
  if ("oauthProvider" in owner || "contact" in owner) return true
  if ("authenticator" in owner)
    return Buffer.from(owner.authenticator.publicKey).toString("base64url") === publicKey
  return owner.apiKey.expiresAtMs === 0n || owner.apiKey.expiresAtMs > BigInt(nowMs)
}

/** Marks votes that are too old. They stay stored as evidence and no longer count. */
function lapseVotes(votes: Vote[], nowMs: number): void {
  const first = votes.find((vote) => vote.lapsedAtMs === 0n)
  if (first === undefined) return
  const lapsesAtMs = first.createdAtMs + BigInt(VOTE_LIFETIME_MS)
  if (BigInt(nowMs) < lapsesAtMs) return
  for (const vote of votes) if (vote.lapsedAtMs === 0n) vote.lapsedAtMs = lapsesAtMs
}

function isApproval({ selection }: Vote): boolean {
  return selection === VoteSelection.APPROVED
}

function withApproval(approvals: readonly Approval[], { user, credentials }: Approval): readonly Approval[] {
  const index = approvals.findIndex((approval) => approval.user.userId === user.userId)
  const earlier = approvals[index]
  if (earlier === undefined) return [...approvals, { user, credentials }]
  return approvals.with(index, { user, credentials: [...earlier.credentials, ...credentials] })
}

const NOTHING = new Uint8Array(0)

/** A vote with its stamp. `message`: the stamped vote; empty when the activity's own body was stamped. */
export function makeVote(
  { voteId, userId, selection }: Pick<Vote, "voteId" | "userId" | "selection">,
  stamp: StampParts,
  nowMs: number,
  message: Uint8Array = NOTHING,
): Vote {
  const vote = { voteId, userId, selection, message, createdAtMs: BigInt(nowMs) }
  return create(VoteSchema, { ...vote, stamp: create(StampSchema, stamp) })
}

/** The request's stamp with everything needed to verify it again. */
export function evidenceOf({ request, owner }: AuthenticatedRequest): StampParts {
  const { stamp } = request
  return "authenticator" in owner ? stampParts(stamp, owner.authenticator.publicKey) : stampParts(stamp)
}
