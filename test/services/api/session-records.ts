import { create, toBinary } from "@bufbuild/protobuf"
import { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { nextId, ORGANIZATION_ID } from "./documents.ts"

export type SessionParts = { publicKey: string; userId: string; createdMs?: number; seconds?: number }

/** A session's two records as the signer sends them: its creation and its end. */
export function sessionRecord(parts: SessionParts, organizationId = ORGANIZATION_ID) {
  const { publicKey, userId, createdMs = Date.now(), seconds = 900 } = parts
  const id = nextId()
  const payload = toBinary(
    SessionRecordSchema,
    create(SessionRecordSchema, {
      userId,
      name: "Session - then",
      publicKey,
      type: CredentialType.LOGIN,
      createdAtMs: BigInt(createdMs),
      expiresAtMs: BigInt(createdMs + seconds * 1000),
      expirationSeconds: BigInt(seconds),
    }),
  )
  const created = { kind: RecordKind.SESSION, id, organizationId, version: 1n, payload }
  const serialized = (record: typeof created & { deleted?: boolean }) =>
    toBinary(RecordSchema, create(RecordSchema, record))
  return { id, record: serialized(created), ended: serialized({ ...created, version: 2n, deleted: true }) }
}
