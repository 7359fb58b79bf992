import { activityText } from "../resources/activity.ts"
import { sendStatusResource } from "../resources/send-status.ts"
import type { TimeForm } from "../resources/time.ts"
import { readSnapshot } from "../store/activities.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { UnsignedDelivery } from "../store/webhook-deliveries.ts"
import { SEND_UPDATES } from "../../../signer/core/webhook/statement.ts"

type EventContext = { organization: StoredOrganization; times: TimeForm; nowMs: number }

/** The body of a notification, from the activity or the send as it was at the event. */
export function webhookBody(
  { eventType, snapshot, parentId }: UnsignedDelivery & { snapshot: string },
  context: EventContext,
): string {
  if (eventType === SEND_UPDATES)
    return sendBody(JSON.parse(snapshot) as SendSnapshot, context.organization.id, parentId)
  // As it is shown to nobody in particular: no vote and no session of the reader. The whole activity, without a wrapper.
  return activityText(readSnapshot(snapshot), { ...context, userId: "", isReadOnlySession: false })
}

type SendSnapshot = {
  sendTransactionStatusId: string
  activityId: string
  status: string
  caip2: string
  chain: string
  hash: string
  failure: string | null
  updatedMs: number
}

function sendBody(send: SendSnapshot, organizationId: string, parentId: string | null): string {
  const { sendTransactionStatusId, activityId, status, caip2, updatedMs } = send
  const { eth, solana, error } = sendStatusResource(send, [])
  const txHash = eth?.txHash ?? solana?.signature
  const msg = {
    sendTransactionStatusId,
    activityId,
    status,
    caip2,
    // After a reorganization a transaction has the same status again: that is another event.
    idempotencyKey: `${sendTransactionStatusId}:${status}:${updatedMs}`,
    timestamp: Math.floor(updatedMs / 1000),
    ...(txHash !== undefined && { txHash }),
    ...(error && { error }),
  }
  return JSON.stringify({
    type: "transaction:status",
    organizationId,
    parentOrganizationId: parentId ?? "",
    msg,
  })
}
