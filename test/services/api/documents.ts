import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
  type UserSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { StoredOrganization } from "../../../services/api/store/stored-organization.ts"
import type { Database } from "../../../services/database/database.ts"
import { restoreState } from "../../../services/api/store/changes.ts"
import { organizationChange } from "../../../services/api/store/state-change.ts"
import type { TestKey } from "./stamps.ts"

export const ORGANIZATION_ID = "6f0b1c1e-0000-4000-8000-000000000001"
export const CREATED_MS = 1_760_000_000_000

let lastId = 0
/** Ids in ascending order, as the signer's UUIDv7 are. */
export function nextId(): string {
  return `01990000-0000-7000-8000-${(++lastId).toString(16).padStart(12, "0")}`
}

/** A user with one key. */
export function user(
  name: string,
  key: TestKey,
  expiresAtMs = 0n,
): MessageInitShape<typeof UserSchema> & { userId: string } {
  return {
    userId: nextId(),
    name,
    email: `${name}@example.com`,
    apiKeys: [
      {
        apiKeyId: nextId(),
        name: `${name}'s key`,
        publicKey: key.publicKey,
        type: CredentialType.API_KEY_P256,
        expiresAtMs,
        expirationSeconds: expiresAtMs === 0n ? 0n : 3600n,
        createdAtMs: BigInt(CREATED_MS),
        updatedAtMs: BigInt(CREATED_MS),
      },
    ],
    createdAtMs: BigInt(CREATED_MS),
    updatedAtMs: BigInt(CREATED_MS),
  }
}

export type DocumentParts = Omit<
  MessageInitShape<typeof OrganizationDocumentSchema>,
  "$typeName" | "$unknown"
>

/** A document as the signer sends it. This tier does not verify its signature. */
export function notarized(parts: DocumentParts): Uint8Array {
  const document = create(OrganizationDocumentSchema, {
    organizationId: ORGANIZATION_ID,
    name: "Dev",
    version: 1n,
    createdAtMs: BigInt(CREATED_MS),
    updatedAtMs: BigInt(CREATED_MS),
    ...parts,
  })
  const bytes = toBinary(OrganizationDocumentSchema, document)
  return toBinary(
    NotarizedDocumentSchema,
    create(NotarizedDocumentSchema, { document: bytes, signature: new Uint8Array(64) }),
  )
}

/** Stores an organization in the database. */
export async function storeOrganization(sql: Database, parts: DocumentParts): Promise<StoredOrganization> {
  const organization = new StoredOrganization(notarized(parts))
  await restoreState(sql, {
    organizationId: organization.id,
    organization: organizationChange(organization),
    createdMs: CREATED_MS,
    records: [],
  })
  return organization
}
