import { activityTypes } from "../../../proto/catalog.ts"
import type { AppProof } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type {
  Decision,
  Outcome,
  RecoveredOutcome,
  Refused,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { ErrorBody } from "../../common/api-error.ts"
import type { OrganizationCache } from "../authentication/organization-cache.ts"
import type { BootProofs } from "../signer/boot-proofs.ts"
import type { OutcomeWriter, RecoveredRequest } from "../signer/outcome-recovery.ts"
import type { ActivityBatcher, ActivityRow } from "../store/activities.ts"
import { applyChange } from "../store/changes.ts"
import type { DecisionReceipts } from "../store/decision-receipts.ts"
import type { DenialQuota } from "../store/denial-quota.ts"
import { insertSends, type NewSend } from "../store/sends.ts"
import { canonicalChain } from "../../chains/chains.ts"
import type { Database } from "../../database/database.ts"
import type { Jobs } from "../../database/jobs.ts"
import type { WorkSignals } from "../../database/work-signals.ts"
import { readState } from "../store/state-change.ts"
import { MIN_LISTED, type PolicyLists } from "../store/policy-lists.ts"
import { packOutcomes } from "../../../signer/core/policy/outcome-list.ts"
import { deniedRow, type Evaluated, type VoteEvidence, mergedRow, openedRow } from "./activity-rows.ts"
import { readSubmission } from "./envelope.ts"

type OutcomeStoreDeps = {
  sql: Database
  batcher: ActivityBatcher
  denials: Pick<DenialQuota, "admits">
  policyLists: Pick<PolicyLists, "keep" | "restore">
  cache: OrganizationCache
  receipts: Pick<DecisionReceipts, "keep">
  bootProofs: Pick<BootProofs, "keep">
  jobs: Pick<Jobs, "prepare" | "enqueue">
  /** Announces each stored activity: notifications and transactions may wait. */
  signals: Pick<WorkSignals, "announce">
}

/** Stores the signer's outcomes. No caller is answered before the outcome is on disk. */
export class OutcomeStore implements OutcomeWriter {
  readonly #deps: OutcomeStoreDeps

  constructor(deps: OutcomeStoreDeps) {
    this.#deps = deps
  }

  /** Returns the activity as it is stored afterwards. Idempotent: a stored outcome changes nothing. */
  async store(outcome: Outcome, evidence: VoteEvidence): Promise<ActivityRow> {
    const { decision } = outcome
    if (decision === undefined) throw new Error("the signer sent an outcome without its decision")
    const evaluated = await this.#evaluated(outcome.organizationId || evidence.organizationId, decision)
    const row = openedRow(outcome, decision, evidence, evaluated)
    if (outcome.appProofs.length > 0) await this.#keepBootProof(outcome.appProofs)
    if (!isSignature(outcome)) return this.#apply(outcome, row)
    return this.#insert(row)
  }

  /** Stores an outcome that the signer kept with its request. */
  async storeRecovered({ outcome, body, stamp }: RecoveredOutcome): Promise<RecoveredRequest> {
    if (!outcome || !stamp) throw new TypeError("the signer sent a recovered outcome without its request")
    const submission = readSubmission(Buffer.from(body), [...activityTypes.values()])
    const { organizationId, decision } = outcome
    if (decision) await this.#deps.policyLists.restore(organizationId || submission.organizationId, decision)
    await this.store(outcome, { ...submission, stamp })
    return { ...submission, credential: stamp.credential }
  }

  /**
   * Stores a denied activity and returns the stored row: the user's first denial of a body is kept. Undefined: it was
   * only counted, because the user has had enough of them stored today.
   */
  async storeDenial(
    { appProofs }: Pick<Refused, "appProofs">,
    denial: Decision,
    evidence: VoteEvidence,
    failure: ErrorBody,
  ): Promise<ActivityRow | undefined> {
    const evaluated = await this.#evaluated(evidence.organizationId, denial)
    const row = deniedRow(denial, evidence, failure, appProofs, evaluated)
    if (!(await this.#deps.denials.admits(row))) {
      await this.#keepReceipts(row)
      return undefined
    }
    await this.#keepBootProof(appProofs)
    return this.#insert(row)
  }

  /** Outcomes of policies as votes keep them. A list of many policies is stored before what refers to it. */
  async #evaluated(
    organizationId: string,
    { policyOutcomes, policyList, packedOutcomes }: Decision,
  ): Promise<Evaluated> {
    if (packedOutcomes.length > 0) return { listedOutcomes: [hex(policyList), hex(packedOutcomes)] }
    if (policyOutcomes.length === 0) return {}
    if (policyOutcomes.length < MIN_LISTED)
      return { policyOutcomes: policyOutcomes.map(({ policyId, outcome }) => [policyId, outcome]) }
    const policyIds = policyOutcomes.map(({ policyId }) => policyId)
    const digest = await this.#deps.policyLists.keep(organizationId, policyIds)
    const packed = packOutcomes(policyOutcomes.map(({ outcome }) => outcome))
    return { listedOutcomes: [hex(digest), hex(packed)] }
  }

  async #insert(row: ActivityRow): Promise<ActivityRow> {
    const insertion = await this.#deps.batcher.insert(row)
    this.#deps.signals.announce()
    if (insertion === "inserted") return row
    await this.#keepReceipts(row)
    return insertion
  }

  /** Keeps the receipts of a decision that is stored with no activity, so that its organization can open its leaf. */
  async #keepReceipts({ organizationId, id, fingerprint, votes }: ActivityRow): Promise<void> {
    for (const { id: voteId, createdMs, logReceipt } of votes) {
      if (logReceipt === undefined) continue
      const row = { organizationId, voteId, activityId: id, fingerprint: hex(fingerprint) }
      await this.#deps.receipts.keep({ ...row, decidedMs: createdMs, receipt: logReceipt })
    }
  }

  async #keepBootProof([proof]: readonly AppProof[]): Promise<void> {
    if (proof) await this.#deps.bootProofs.keep(proof.publicKey)
  }

  /** If the database lost the activity voted on, the vote's own request takes its place. */
  async #apply(outcome: Outcome, activity: ActivityRow): Promise<ActivityRow> {
    const own = readState(outcome)
    const created = outcome.createdOrganizations.map(readState)
    const sends = sendsOf(outcome, activity)
    const { sql, jobs } = this.#deps
    // Not within the transaction: the queue's own tables may have to be made first.
    for (const { chain } of sends) await jobs.prepare(chain)
    const stored = await applyChange(
      sql,
      {
        ...own.change,
        createdOrganizations: created.map(({ change }) => change),
        activity,
        merge: (earlier) => mergedRow(earlier, activity, outcome),
      },
      async (tx) => {
        for (const send of await insertSends(tx, sends)) await jobs.enqueue(tx, send.chain, [send])
      },
    )
    this.#deps.signals.announce()
    for (const { organization } of [own, ...created]) {
      if (organization) this.#deps.cache.put(organization)
    }
    if (stored.id !== activity.id) await this.#keepReceipts(activity)
    return stored
  }
}

function hex({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("hex")
}

/** Transactions that the outcome signed. For a vote, `activity` is the one voted on. */
function sendsOf({ signedTransactions }: Outcome, { organizationId, id, updatedMs }: ActivityRow): NewSend[] {
  return signedTransactions.map(
    ({ sendTransactionStatusId, caip2, raw, transactionHash, account, nonce, ...rest }) => ({
      organizationId,
      id: sendTransactionStatusId,
      activityId: id,
      caip2,
      chain: canonicalChain(caip2),
      account,
      nonce,
      raw,
      hash: transactionHash,
      lastValidBlockHeight: rest.lastValidBlockHeight,
      delegator: rest.delegator || undefined,
      gasStationNonce: rest.gasStationNonce === "" ? undefined : BigInt(rest.gasStationNonce),
      authorizationNonce: rest.authorizationNonce,
      createdMs: updatedMs,
    }),
  )
}

/** True if storing the outcome inserts one row only. This is the hot path, with many rows to a statement. */
function isSignature({
  opened,
  unacknowledged,
  document,
  records,
  createdOrganizations,
  result,
  signedTransactions,
}: Outcome): boolean {
  if (signedTransactions.length > 0) return false
  const changesNothing = document.length === 0 && records.length === 0 && createdOrganizations.length === 0
  return opened && !unacknowledged && changesNothing && result !== undefined
}
