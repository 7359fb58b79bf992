import { toBinary } from "@bufbuild/protobuf"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  type PendingActivity,
  PendingActivitySchema,
} from "../../proto/gen/countersign/state/v1/activity_pb.ts"
import {
  DEPLOYMENT,
  type Ledger,
  type LedgerChange,
  type LedgerRow,
  type OrganizationHead,
  type RowName,
} from "../ledger/ledger.ts"
import type { Organization } from "../organization/organization.ts"
import type { ExecutionDeps } from "./deps.ts"
import { forgettableAt } from "./liveness.ts"
import { outcomeKey } from "./replay.ts"
import type { Request } from "./request.ts"
import type { Birth, Effects } from "./run.ts"
import { changingOutcome, type Settlement, writeRecovery } from "./settlement.ts"

export type Commit = {
  request: Request
  settlement: Settlement
  /** The organization before; undefined at its birth. */
  before: Organization | undefined
  effects: Effects | undefined
  /** The activity goes on waiting, as this; absent when it is settled. */
  pending?: PendingActivity
  /** It has waited before this order. */
  wasPending: boolean
}

/** Writes an order's effects to the ledger, all or none, and answers after the sync. */
export async function commit(writing: Commit, deps: ExecutionDeps): Promise<Outcome> {
  const { request, settlement, before, effects } = writing
  const changed = effects?.changed
  const after = changed?.organization ?? before
  if (after === undefined) throw new Error("an organization is born with a document")
  const head = headOf(after)
  const outcome = changingOutcome(settlement, head, deps.keyring.notary)
  const change: LedgerChange = {
    organizationId: settlement.organizationId,
    expect: before && headOf(before),
    head,
    put: [...fingerprintRows(writing), ...effectRows(effects)],
    remove: [...removedRows(writing), ...deps.register.staleProofs(before?.document, after.document)],
    mustBeAbsent: [...(effects?.changes.mustBeAbsent ?? []), ...newFingerprints(writing)],
  }
  const recovery = { kind: "outcome", value: writeRecovery(outcome, settlement.vote, request.body) } as const
  const key = outcomeKey(settlement.organizationId, request.fingerprint, request.stamp.publicKeyHex)
  const births = effects?.born ?? []
  const rows = deploymentChange(deps.ledger, { put: [{ ...recovery, key }] })
  await deps.ledger.commit(
    [change, ...births.map(birthChange), rows],
    [
      ...deps.register.changes(before?.document, after.document),
      ...births.flatMap(({ organization }) => deps.register.changes(undefined, organization.document)),
    ],
  )
  if (changed) deps.organizations.remember(changed.organization)
  if (after.document.deletedAtMs !== 0n) deps.signingKeys.deleteOf(after.id)
  for (const name of effects?.changes.forgotten ?? []) deps.signingKeys.delete(name)
  return outcome
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

/** A body runs once: what brings it about for the first time finds no trace of it. */
function newFingerprints({ request, settlement, wasPending }: Commit): RowName[] {
  const { fingerprint } = request
  const isVoteOfItsOwn = fingerprint !== settlement.activityFingerprint
  return wasPending && !isVoteOfItsOwn ? [] : [{ kind: "fingerprint", key: fingerprint }]
}

/** A change of the deployment's own rows. */
export function deploymentChange(
  ledger: Ledger,
  rows: { put?: LedgerRow[]; remove?: RowName[] },
): LedgerChange {
  const head = ledger.head(DEPLOYMENT)
  if (head === undefined) throw new Error("the ledger is born with the deployment's rows")
  return { organizationId: DEPLOYMENT, expect: head, head, put: rows.put ?? [], remove: rows.remove ?? [] }
}

/** What keeps the order from running again. */
function fingerprintRows({ request, settlement, pending, wasPending }: Commit): LedgerRow[] {
  const rows: LedgerRow[] = []
  const status = Buffer.from(String(settlement.status))
  const everWaited = wasPending || pending !== undefined
  rows.push({
    kind: "fingerprint",
    key: settlement.activityFingerprint,
    value: status,
    ...(everWaited ? {} : { expiresMs: forgettableAt(request.timestampMs) }),
  })
  if (request.fingerprint !== settlement.activityFingerprint) {
    const expiresMs = forgettableAt(request.timestampMs)
    rows.push({ kind: "fingerprint", key: request.fingerprint, value: Buffer.from("VOTE"), expiresMs })
  }
  if (pending) rows.push({ ...pendingRow(settlement), value: toBinary(PendingActivitySchema, pending) })
  return rows
}

function effectRows(effects: Pick<Effects, "changed" | "changes"> | undefined): LedgerRow[] {
  if (effects === undefined) return []
  const { changed, changes } = effects
  if (changed === undefined) return changes.put
  return [...changes.put, { kind: "archive-document", key: "", value: changed.notarized }]
}

function removedRows({ settlement, effects, pending, wasPending }: Commit): RowName[] {
  const released = effects?.changes.remove ?? []
  return wasPending && !pending ? [...released, pendingRow(settlement)] : released
}

function pendingRow({ activityFingerprint }: Settlement) {
  return { kind: "pending", key: activityFingerprint } as const
}
