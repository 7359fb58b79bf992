import { toBinary } from "@bufbuild/protobuf"
import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Outcome } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { PendingActivitySchema } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { requireInvariant } from "../../../core/invariant.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { inSlices, type Steps } from "../../../core/turns/steps.ts"
import {
  changedAt,
  deploymentChange,
  type LedgerChange,
  type LedgerRow,
  type OrganizationHead,
  OUTCOMES,
  type RowName,
} from "../../ledger/ledger.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { RegisterChanges } from "../state/identity-register.ts"
import type { ControlReading } from "../../../core/policy/controls.ts"
import { countedRows } from "../state/velocity-counters.ts"
import { HAS_HAD_PENDING } from "../state/ledger-keys.ts"
import type { StampedRequest } from "../state/request.ts"
import type { ActivityEffects } from "../workspace/run-activity.ts"
import type { CreatedOrganization } from "../workspace/new-version.ts"
import { type PendingState, recordFingerprints, recoveryRow } from "./replay.ts"
import { type ActivityOutcome, isPending, makeReceipt, writeOutcome } from "./outcome.ts"
import { recordChange } from "./log-decision.ts"
import { tokenUses } from "./token-use.ts"

/** An outcome to write to the ledger. */
type Commit = {
  request: StampedRequest
  outcome: ActivityOutcome
  /** The organization before; undefined: the activity created it. */
  before: Organization | undefined
  /** The pending activity that the request opened or voted on. */
  pending?: PendingState
  /** Readings of the velocity controls that the activity was decided by; absent: it did not run, or there are none. */
  controls?: readonly ControlReading[] | undefined
  /** Ledger shard of the body's fingerprint; absent: the organization's own rows. */
  fingerprintShard?: string
}

/**
 * Writes an outcome, all or nothing; replies after the sync. Nothing of it leaves before: rollback.ts relies on that.
 * @throws OUTCOME_TOO_LARGE, ORGANIZATION_BUSY, LEDGER_OLDER
 */
export async function commit(input: Commit, deps: ExecutionDeps): Promise<Outcome> {
  const { request, outcome, before, pending } = input
  const { organizationId, effects } = outcome
  const { ledger } = deps
  const after = effects?.version?.organization ?? before
  requireInvariant(after !== undefined, "a new organization has a document")
  requireSuccessor(before, after)
  const { identities, creations } = await inSlices(
    registerInSteps(input, after, deps),
    organizationId,
    deps.turns,
  )
  // A rollback may have been found while the order waited.
  deps.rollback.requireNone()
  const head = headOf(after)
  const reply = writeOutcome(outcome, new Uint8Array(0), makeReceipt(outcome, head, deps))
  const { fingerprintShard: shard = organizationId } = input
  const fingerprints = recordFingerprints(request, outcome, pending)
  const own = shard === organizationId ? fingerprints : NO_ROWS
  const { changes } = effects ?? {}
  const rowChange = rowChanges(input, after, { fingerprints: own.put, identities })
  const isChanged = rowChange.put.length + rowChange.remove.length > 0
  const change: LedgerChange = {
    organizationId,
    expect: before && headOf(before),
    head,
    ...rowChange,
    mustBeAbsent: [...(changes?.mustBeAbsent ?? []), ...own.mustBeAbsent],
    // Sub-organizations that are created side by side leave their parent as it was.
    notesSequence: isChanged,
  }
  const recovery = recoveryRow(reply, outcome.vote, request)
  await claimSecrets(changes?.secrets.rows ?? [], deps)
  await ledger.commit(
    [change, ...creations.map((creation) => creationChange(creation.child, creation.identities.put))],
    [
      ...(shard === organizationId ? [] : [{ shard, ...fingerprints }]),
      ...(changes?.index ?? []),
      ...tokenUses(request, deps),
      ...identities.index,
      ...creations.flatMap((creation) => creation.identities.index),
      { shard: OUTCOMES, put: [recovery] },
    ],
  )
  if (effects !== undefined) updateCaches(effects, after, deps)
  recordChange(outcome, reply, deps)
  if (isChanged) reply.ledgerSequence = changedAt(ledger, organizationId)
  for (const child of reply.createdOrganizations)
    child.ledgerSequence = changedAt(ledger, child.organizationId)
  return reply
}

/**
 * Claims come before the change that relies on them, because they are of the deployment's lane. After a crash in between, the
 * organization has a claim that it does not use, and the same request finds it again (secret-claims.ts).
 */
async function claimSecrets(
  claims: readonly LedgerRow[],
  { ledger, rollback }: ExecutionDeps,
): Promise<void> {
  if (claims.length === 0) return
  await ledger.commit([deploymentChange(ledger, { put: [...claims], mustBeAbsent: [...claims] })])
  rollback.requireNone()
}

/** Changes of the register for the organization's new version, and for each organization that was created. */
function* registerInSteps(
  { request, outcome, before }: Commit,
  after: Organization,
  { register }: Pick<ExecutionDeps, "register">,
): Steps<{ identities: RegisterChanges; creations: Creation[] }> {
  const proven = provenByLogin(request, after)
  const identities = yield* register.changes(before?.document, after.document, proven)
  const creations: Creation[] = []
  for (const child of outcome.effects?.created ?? [])
    creations.push({ child, identities: yield* register.changes(undefined, child.organization.document) })
  return { identities, creations }
}

/** The organization's rows that the outcome puts and removes. */
function rowChanges(
  { outcome, pending, controls = [] }: Commit,
  after: Organization,
  own: { fingerprints: LedgerChange["put"]; identities: RegisterChanges },
): Pick<LedgerChange, "put" | "remove"> {
  const { effects, decidedAtMs } = outcome
  const rows = pendingRows(outcome, pending)
  return {
    // The request's own rows come last: a deleted organization puts the fingerprints of all that was pending.
    put: [
      ...effectRows(effects),
      ...countedRows(controls, after, decidedAtMs),
      ...own.fingerprints,
      ...rows.put,
      ...own.identities.put,
    ],
    remove: [...(effects?.changes?.remove ?? []), ...rows.remove, ...own.identities.remove],
  }
}

type Creation = { child: CreatedOrganization; identities: RegisterChanges }

const NO_ROWS = { put: [], mustBeAbsent: [] }

function updateCaches(
  { version, changes }: ActivityEffects,
  { id }: Organization,
  deps: ExecutionDeps,
): void {
  if (version !== undefined) deps.organizations.remember(version.organization)
  for (const cache of [deps.signingKeys, deps.heldWallets]) {
    if (changes?.areAllKeysStale) cache.deleteOf(id)
    for (const name of changes?.staleKeys ?? []) cache.delete(name)
  }
}

/**
 * The credential that a login proves to belong to the sub-organization that its body names. The new session may have
 * replaced that credential; a credential that is gone is not proven.
 */
function provenByLogin({ activity, stamp, organizationId }: StampedRequest, after: Organization) {
  const isProof = activity.authority === Authority.LOGIN && organizationId === after.id
  return isProof ? after.credentialOwner(stamp.credential) : undefined
}

/** The first rows of an organization that the activity created. */
function creationChange(created: CreatedOrganization, identities: readonly LedgerRow[]): LedgerChange {
  const { organization, changes } = created
  const put = [...effectRows({ version: created, changes }), ...identities]
  const head = headOf(organization)
  return { organizationId: organization.id, expect: undefined, head, put, remove: [], notesSequence: true }
}

/**
 * The version that is written follows the one that the activity saw. The draft sets both members, and no request names either one.
 * eraseOrganization reads what is written here.
 */
function requireSuccessor(before: Organization | undefined, after: Organization): void {
  if (before === undefined || after === before) return
  const { version, previousDigest } = after.document
  requireInvariant(version > before.document.version, "the version of a document grows")
  requireInvariant(Buffer.compare(previousDigest, before.digest) === 0, "a document names the one before it")
}

function headOf({ document, digest }: Organization): OrganizationHead {
  return { version: document.version, digest }
}

function pendingRows(
  { activityFingerprint: key, status, opened }: ActivityOutcome,
  pending: PendingState | undefined,
): { put: LedgerRow[]; remove: RowName[] } {
  if (pending === undefined) return { put: [], remove: [] }
  const name = { kind: "pending", key } as const
  if (!isPending(status)) return { put: [], remove: [name] }
  const row = { ...name, value: toBinary(PendingActivitySchema, pending.stored) }
  return { put: opened ? [row, HAS_HAD_PENDING] : [row], remove: [] }
}

function effectRows(effects: Pick<ActivityEffects, "version" | "changes"> | undefined): LedgerRow[] {
  const { version, changes } = effects ?? {}
  const put = changes?.put ?? []
  return version ? [...put, { kind: "archive-document", key: "", value: version.notarized }] : put
}
