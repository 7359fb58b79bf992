import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import type { PrivateKeySchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import type { Database } from "../../database/database.ts"
import { getRecord, type RecordRow } from "../store/records.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { timestamps } from "./time.ts"

type PrivateKeyResource = MessageInitShape<typeof PrivateKeySchema>

/** @throws ApiError 404 */
export async function requirePrivateKeyResource(
  sql: Database,
  organization: StoredOrganization,
  privateKeyId: string,
): Promise<PrivateKeyResource> {
  const row = await getRecord(sql, organization.id, RecordKind.PRIVATE_KEY, privateKeyId)
  if (row !== undefined) return privateKeyResource(row, tagIdsByKey(organization))
  throw notFound(`unable to find private key ${privateKeyId} in organization ${organization.id}`)
}

export function privateKeyResource(
  { id, bytes }: RecordRow,
  tags: ReadonlyMap<string, string[]>,
): PrivateKeyResource {
  const key = fromBinary(PrivateKeyRecordSchema, fromBinary(RecordSchema, bytes).payload)
  return {
    privateKeyId: id,
    publicKey: key.publicKey,
    privateKeyName: key.name,
    curve: key.curve,
    addresses: key.addresses.map(({ format, address }) => ({ format, address })),
    privateKeyTags: tags.get(id) ?? [],
    ...timestamps(key),
    exported: key.exported,
    imported: key.imported,
  }
}

/** Tags are in the document, not in the keys' records. */
export function tagIdsByKey({ document }: StoredOrganization): ReadonlyMap<string, string[]> {
  const tags = new Map<string, string[]>()
  for (const { tagId, privateKeyIds } of document.tags) {
    for (const id of privateKeyIds) {
      const tagIds = tags.get(id)
      if (tagIds === undefined) tags.set(id, [tagId])
      else tagIds.push(tagId)
    }
  }
  return tags
}
