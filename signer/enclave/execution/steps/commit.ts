import { toBinary } from "@bufbuild/protobuf"
import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Outcome } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  type PendingActivity,
  PendingActivitySchema,
} from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import {
  DEPLOYMENT,
  type Ledger,
  type LedgerChange,
  type LedgerRow,
  type OrganizationHead,
  type RowName,
} from "../../ledger/ledger.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { noteFingerprints } from "./fingerprints.ts"
import { identityOfStamp } from "../state/identities.ts"
import { HAS_HAD_PENDING } from "../state/ledger-keys.ts"
import { outcomeKey, requireTellable } from "./replay.ts"
import type { Request } from "../state/request.ts"
import type { Birth, Effects } from "../workspace/run.ts"
import { changingOutcome, type Settlement, writeRecovery } from "./outcome.ts"

export type Commit = {
  request: Request
  settlement: Settlement
  /** The organization before; undefined at its birth. */
  before: Organization | undefined
  effects: Effects | undefined
  /** The activity goes on waiting, as this; absent when it is settled. */
  pending?: PendingActivity
  /** The activity as it waited before this order; undefined: it did not. */
  waited: PendingActivity | undefined
  /** Where the body's fingerprint is kept; absent, as for what waits: in the organization's own book. */
  fingerprintBook?: string
}

/**
 * Writes an order's effects to the ledger, all or none, and answers after the sync.
 *
 * @throws REQUEST_TOO_LARGE, ORGANIZATION_BUSY
 */
export async function commit(writing: Commit, deps: ExecutionDeps): Promise<Outcome> {
  const { request, settlement, before, effects } = writing
  const changed = effects?.changed
  const after = changed?.organization ?? before
  if (after === undefined) throw new Error("an organization is born with a document")
  const head = headOf(after)
  const outcome = changingOutcome(settlement, head, deps.keyring.notary)
  const { organizationId } = settlement
  const { fingerprintBook: book = organizationId, pending, waited } = writing
  const noted = noteFingerprints({ request, settlement, waited, waits: pending !== undefined })
  const isOwnBook = book === organizationId
  const proof = provenByLogin(writing, after, deps)
  const change: LedgerChange = {
    organizationId,
    expect: before && headOf(before),
    head,
    // What is noted of the order itself comes last: an organization that ends puts fingerprints of all that waited.
    put: [...effectRows(effects), ...(isOwnBook ? noted.put : []), ...pendingRows(writing), ...proof.put],
    remove: [...removedRows(writing), ...deps.register.staleProofs(before?.document, after.document)],
    mustBeAbsent: [...(effects?.changes.mustBeAbsent ?? []), ...(isOwnBook ? noted.mustBeAbsent : [])],
  }
  const value = writeRecovery(outcome, settlement.vote, request.body)
  requireTellable(value)
  const recovery = { kind: "outcome", value } as const
  const key = outcomeKey(request.organizationId, request.fingerprint, request.stamp.credential)
  const births = effects?.born ?? []
  const claims = effects?.changes.claims ?? []
  const ofDeployment = { put: [{ ...recovery, key }, ...claims], mustBeAbsent: claims }
  const rows = deploymentChange(deps.ledger, ofDeployment)
  await deps.ledger.commit(
    [change, ...births.map(birthChange), rows],
    [
      ...(isOwnBook ? [] : [{ shard: book, ...noted }]),
      ...proof.side,
      ...deps.register.changes(before?.document, after.document),
      ...births.flatMap(({ organization }) => deps.register.changes(undefined, organization.document)),
    ],
  )
  if (changed) deps.organizations.remember(changed.organization)
  if (effects?.changes.forgetsAll) deps.signingKeys.deleteOf(after.id)
  for (const name of effects?.changes.forgotten ?? []) deps.signingKeys.delete(name)
  return outcome
}

/**
 * Whoever logs in has shown that the credential is his in this sub-organization. It may be the one that leaves to make
 * room for the session: what is held no more is not proven.
 */
function provenByLogin({ request }: Commit, after: Organization, { register }: ExecutionDeps) {
  const isLogin = request.activity.authority === Authority.LOGIN
  if (!isLogin || after.credentialOwner(request.stamp.credential) === undefined) return { put: [], side: [] }
  return register.proof(after.document, identityOfStamp(request.stamp))
}

/** The first rows of an organization that the activity gave birth to. */
function birthChange({ organization, notarized, changes }: Birth): LedgerChange {
  return {
    organizationId: organization.id,
    expect: undefined,
    head: headOf(organization),
    put: effectRows({ changed: { organization, notarized }, changes }),
    remove: [],
  }
}

export function headOf({ document, digest }: Organization): OrganizationHead {
  return { version: document.version, digest }
}

/** A change of the deployment's own rows. */
export function deploymentChange(
  ledger: Ledger,
  rows: { put?: LedgerRow[]; remove?: RowName[]; mustBeAbsent?: RowName[] },
): LedgerChange {
  const head = ledger.head(DEPLOYMENT)
  if (head === undefined) throw new Error("the ledger is born with the deployment's rows")
  const { put = [], remove = [], mustBeAbsent = [] } = rows
  return { organizationId: DEPLOYMENT, expect: head, head, put, remove, mustBeAbsent }
}

function pendingRows({ settlement, pending, waited }: Commit): LedgerRow[] {
  if (pending === undefined) return []
  const row = { ...pendingRow(settlement), value: toBinary(PendingActivitySchema, pending) }
  return waited === undefined ? [row, HAS_HAD_PENDING] : [row]
}

function effectRows(effects: Pick<Effects, "changed" | "changes"> | undefined): LedgerRow[] {
  if (effects === undefined) return []
  const { changed, changes } = effects
  if (changed === undefined) return changes.put
  return [...changes.put, { kind: "archive-document", key: "", value: changed.notarized }]
}

function removedRows({ settlement, effects, pending, waited }: Commit): RowName[] {
  const released = effects?.changes.remove ?? []
  return waited && !pending ? [...released, pendingRow(settlement)] : released
}

function pendingRow({ activityFingerprint }: Settlement) {
  return { kind: "pending", key: activityFingerprint } as const
}
