import { fromBinary } from "@bufbuild/protobuf"
import { EffectSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  type Record as StoredRecord,
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Organization } from "./oracle.ts"
import { textOf, type User } from "./rules.ts"
import type { Run } from "./run.ts"

/** Documents and records are what the oracle expects, at the tier and in the signer's archive. @throws Error */
export async function requireContent({ tier, signer, world, mutant }: Run): Promise<void> {
  await tier.recover()
  const nowMs = signer.clock.wallMs()
  for (const organization of world.values()) {
    const { organizationId } = organization
    const document = tier.document(organizationId)
    requireDocument(mutant.document?.(document) ?? document, organization)
    const stored = tier.records(organizationId).map((bytes) => fromBinary(RecordSchema, bytes))
    requireRecords(mutant.records?.(stored) ?? stored, organization, nowMs)
    const archive = await signer.archive(organizationId)
    if (Buffer.compare(archive.document, tier.notarized(organizationId)) !== 0)
      throw new Error(`the archive of ${organizationId} has another document`)
    const archived = archive.records.map((bytes) => fromBinary(RecordSchema, bytes))
    requireRecords(archived, organization, nowMs)
  }
}

/** Users of a document, in the oracle's words. */
export function usersOf({ users }: OrganizationDocument): User[] {
  return users.map(({ userId, tagIds, apiKeys }): User => {
    const keys = apiKeys.map(({ apiKeyId, publicKey, createdAtMs }) => ({
      keyId: apiKeyId,
      publicKey,
      createdAtMs: Number(createdAtMs),
    }))
    return { userId, tagIds, keys, sessions: [] }
  })
}

/** The document has the users, keys, quorum and policies that the oracle expects. */
function requireDocument(document: OrganizationDocument, expected: Organization): void {
  const { organizationId, users, quorum, policies, tagIds } = expected
  const stored = {
    tagIds: document.tags.map(({ tagId }) => tagId),
    users: usersOf(document),
    quorum: { threshold: document.rootQuorum?.threshold, userIds: document.rootQuorum?.userIds },
    policies: document.policies.map(({ policyId, effect, condition, consensus }) => ({
      policyId,
      effect: EffectSchema.value[effect]?.name,
      condition,
      consensus,
    })),
  }
  const wanted = {
    tagIds,
    users: users.map(({ userId, tagIds, keys }) => ({ userId, tagIds, keys, sessions: [] })),
    quorum,
    policies: policies.map(({ policyId, effect, condition, consensus }) => ({
      policyId,
      effect,
      condition: textOf.condition(condition),
      consensus: textOf.consensus(consensus),
    })),
  }
  requireSame(`the document of ${organizationId}`, stored, wanted)
}

/** There are the wallets, accounts and unexpired sessions that the oracle expects. */
function requireRecords(records: readonly StoredRecord[], expected: Organization, nowMs: number): void {
  const { organizationId, users, walletIds, accounts } = expected
  const of = (kind: RecordKind) => records.filter((record) => record.kind === kind && !record.deleted)
  const sessions = of(RecordKind.SESSION).map(({ payload }) => fromBinary(SessionRecordSchema, payload))
  const stored = {
    walletIds: of(RecordKind.WALLET).map(({ id }) => id),
    accounts: of(RecordKind.WALLET_ACCOUNT).map(({ payload }) => {
      const { walletId, address } = fromBinary(WalletAccountRecordSchema, payload)
      return `${walletId} ${address}`
    }),
    sessions: sessions.flatMap(({ userId, publicKey, expiresAtMs }) =>
      nowMs < Number(expiresAtMs) ? [`${userId} ${publicKey} ${expiresAtMs}`] : [],
    ),
  }
  const wanted = {
    walletIds,
    accounts: accounts.map(({ walletId, address }) => `${walletId} ${address}`),
    sessions: users.flatMap(({ userId, sessions }) =>
      sessions.flatMap(({ publicKey, expiresAtMs }) =>
        nowMs < expiresAtMs ? [`${userId} ${publicKey} ${expiresAtMs}`] : [],
      ),
    ),
  }
  requireSame(`the records of ${organizationId}`, sorted(stored), sorted(wanted))
}

function requireSame(name: string, stored: object, wanted: object): void {
  const [found, right] = [stored, wanted].map((value) => JSON.stringify(value, sortedUsers))
  if (found !== right) throw new Error(`${name}: ${found}, not ${right}`)
}

const sorted = (lists: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.toSorted(compareTexts)]))

function sortedUsers(name: string, value: unknown): unknown {
  return name === "userIds" && Array.isArray(value) ? value.toSorted(compareTexts) : value
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : 1)
