import { fromBinary } from "@bufbuild/protobuf"
import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  type Record,
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
  WalletAccountRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import type { OrganizationChange, RecordChange, StateChange } from "./changes.ts"
import { identitiesOf } from "./identity-keys.ts"
import type { SessionChange } from "./sessions.ts"
import { StoredOrganization } from "./stored-organization.ts"
import { webhookTargetsOf } from "./webhook-targets.ts"

/** An organization's document, if it changed, and its records, as the signer sends them. */
type SignerState = Pick<Outcome, "organizationId" | "document" | "records"> & { ledgerSequence?: bigint }

/** One organization's new state: decoded, and as the database stores it. */
export function readState({ organizationId, document, records, ledgerSequence = 0n }: SignerState) {
  const organization = document.length > 0 ? new StoredOrganization(document.slice()) : undefined
  const change: StateChange = {
    organizationId,
    organization: organization && organizationChange(organization),
    ...recordChanges(records),
    ledgerSequence,
  }
  return { organization, change }
}

export function organizationChange(organization: StoredOrganization): OrganizationChange {
  const { parentId, name, deletedAtMs, authProxy } = organization.document
  return {
    ...(parentId ? { parentId } : {}),
    name,
    version: organization.version,
    document: organization.notarized,
    deleted: deletedAtMs !== 0n,
    identities: identitiesOf(organization.document),
    webhookTargets: webhookTargetsOf(organization.document),
    ...(authProxy && { authProxyConfigId: authProxy.configId }),
  }
}

/** Serialized records with their look-up columns. Sessions have a table of their own. */
export function recordChanges(serialized: readonly Uint8Array[]) {
  const changes: { records: RecordChange[]; sessions: SessionChange[] } = { records: [], sessions: [] }
  for (const bytes of serialized) {
    const record = fromBinary(RecordSchema, bytes)
    if (record.kind === RecordKind.SESSION) changes.sessions.push(sessionChange(record, bytes))
    else changes.records.push(recordChange(record, bytes))
  }
  return changes
}

function recordChange({ kind, id, version, deleted, payload }: Record, bytes: Uint8Array): RecordChange {
  const change = { kind, id, version, deleted, bytes }
  if (deleted || kind !== RecordKind.WALLET_ACCOUNT) return change
  const { walletId, address, path } = fromBinary(WalletAccountRecordSchema, payload)
  return { ...change, parentId: walletId, address: canonicalAddress(address), path }
}

function sessionChange({ id, deleted, payload }: Record, bytes: Uint8Array): SessionChange {
  const { publicKey, userId, expiresAtMs } = fromBinary(SessionRecordSchema, payload)
  return { id, publicKey, userId, expiresMs: Number(expiresAtMs), ended: deleted, bytes }
}
