import { createHash, randomBytes } from "node:crypto"
import { type ActivityRow, packActivity } from "../../services/api/store/activity-row.ts"
import { insertActivities } from "../../services/api/store/insert-activities.ts"
import type { Database, Queries } from "../../services/database/database.ts"
import type { StubSignature, SigningBody } from "./signing.ts"

const USER_ID = "019a0000-0000-7000-8000-000000000001"

/** A row as the service writes it, and about of that size. */
export function rowOf(organizationId: string, body: Buffer, signature: StubSignature): ActivityRow {
  const nowMs = Date.now()
  return {
    organizationId,
    id: newId(nowMs),
    fingerprint: createHash("sha256").update(body).digest(),
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    status: "ACTIVITY_STATUS_COMPLETED",
    userId: USER_ID,
    deniedUserId: null,
    intent: `{"signRawPayloadIntentV2":${JSON.stringify((JSON.parse(body.toString()) as SigningBody).parameters)}}`,
    result: JSON.stringify({ signRawPayloadResult: signature }),
    failure: null,
    appProofs: null,
    votes: [
      {
        id: USER_ID,
        userId: USER_ID,
        selection: "VOTE_SELECTION_APPROVED",
        message: body.toString(),
        publicKey: "02".repeat(33),
        signature: "30".repeat(71),
        scheme: "SIGNATURE_SCHEME_TK_API_P256",
        createdMs: nowMs,
      },
    ],
    createdMs: nowMs,
    updatedMs: nowMs,
  }
}

/** The reply to it. */
export function replyOf({ id, organizationId, type, status, intent, result, fingerprint }: ActivityRow) {
  const digest = `sha256:${Buffer.from(fingerprint).toString("hex")}`
  const head = JSON.stringify({ id, organizationId, type, status, fingerprint: digest })
  return `{"activity":${head.slice(0, -1)},"intent":${intent},"result":${result}}}`
}

/** One row, one statement, its own commit. */
export async function insertOne(sql: Queries, row: ActivityRow): Promise<void> {
  await insertActivities(sql, [packActivity(row)])
}

/** Naive variant: insert the activity, then complete it, in one transaction. */
export async function insertInTransaction(sql: Database, row: ActivityRow): Promise<void> {
  await sql.begin(async (tx) => {
    await insertOne(tx, { ...row, status: "ACTIVITY_STATUS_PENDING", result: null })
    const { status, contents, textLength } = packActivity(row)
    await tx`
      update activities set status = ${status}, contents = decode(${contents}, 'hex'), text_length = ${textLength}
      where organization_id = ${row.organizationId} and id = ${row.id}`
  })
}

/** UUIDv7: 48 bits of time, version 7, variant 2, the rest random (RFC 9562 §5.7). */
function newId(nowMs: number): string {
  const hex = randomBytes(10).toString("hex")
  const time = nowMs.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}
