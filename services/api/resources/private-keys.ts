import { fromBinary } from "@bufbuild/protobuf"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import type { Organization } from "../authentication/stored-organization.ts"
import { privateKeyResource } from "./resources.ts"
import type { Database } from "../store/database.ts"
import { getRecord, listAllRecords, type RecordRow } from "../store/records.ts"

/** All private keys of an organization as they are shown, oldest first. */
export async function privateKeysOf(sql: Database, organization: Organization) {
  const rows = await listAllRecords(sql, organization.id, RecordKind.PRIVATE_KEY)
  const tags = tagsOfKeys(organization)
  return rows.map((row) => shown(row, tags))
}

/** @throws ApiError 404 */
export async function requirePrivateKey(sql: Database, organization: Organization, privateKeyId: string) {
  const row = await getRecord(sql, organization.id, RecordKind.PRIVATE_KEY, privateKeyId)
  if (row !== undefined) return shown(row, tagsOfKeys(organization))
  throw notFound(`unable to find private key ${privateKeyId} in organization ${organization.id}`)
}

type TagsOfKeys = ReadonlyMap<string, string[]>

function shown({ id, bytes }: RecordRow, tags: TagsOfKeys) {
  const key = fromBinary(PrivateKeyRecordSchema, fromBinary(RecordSchema, bytes).payload)
  return privateKeyResource(id, key, tags.get(id) ?? [])
}

/** Ids of tags by the id of a key; they stand in the document, not in the key's record. */
function tagsOfKeys({ document }: Organization): TagsOfKeys {
  const tags = new Map<string, string[]>()
  for (const { tagId, privateKeyIds } of document.tags) {
    for (const id of privateKeyIds) {
      const held = tags.get(id)
      if (held === undefined) tags.set(id, [tagId])
      else held.push(tagId)
    }
  }
  return tags
}
