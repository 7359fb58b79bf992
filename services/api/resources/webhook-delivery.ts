import type { MessageInitShape } from "@bufbuild/protobuf"
import type {
  WebhookAttemptSchema,
  WebhookDeliverySchema,
} from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { AttemptRow, DeliveryRow } from "../store/webhook-history.ts"
import { timestamp } from "./time.ts"

/** Stored states by the status that is shown. A deferred delivery is pending too. */
export const STATES: { readonly [status: string]: readonly string[] } = {
  PENDING: ["WAITING", "DEFERRED"],
  DELIVERED: ["DELIVERED"],
  DEAD: ["DEAD"],
}

export function webhookDeliveryResource(row: DeliveryRow): MessageInitShape<typeof WebhookDeliverySchema> {
  const [status = ""] = Object.entries(STATES).find(([, states]) => states.includes(row.state)) ?? []
  return {
    deliveryId: row.id,
    organizationId: row.organizationId,
    endpointId: row.endpointId,
    eventOrganizationId: row.sourceId,
    eventType: row.eventType,
    status,
    attemptCount: row.attempts,
    ...(row.retryMs > 0n && { nextAttemptAt: timestamp(row.retryMs) }),
    createdAt: timestamp(row.createdMs),
    updatedAt: timestamp(row.updatedMs),
    ...answer(row),
  }
}

export function webhookAttemptResource(row: AttemptRow): MessageInitShape<typeof WebhookAttemptSchema> {
  return {
    startedAt: timestamp(row.startedMs),
    durationMilliseconds: row.durationMs,
    ...answer(row),
  }
}

function answer({ httpStatus, fault }: Pick<AttemptRow, "httpStatus" | "fault">) {
  return { ...(httpStatus !== null && { httpStatus }), ...(fault !== null && { error: fault }) }
}
