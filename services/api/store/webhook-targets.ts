import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { ACTIVITY_UPDATES } from "../../../signer/core/webhook/statement.ts"
import type { Transaction } from "../../database/database.ts"

/** A URL of an organization that receives events. */
export type WebhookTarget = { endpointId: string; url: string; events: number }

/** Id of the target that FEATURE_NAME_WEBHOOK names. */
const FEATURE_TARGET = "00000000-0000-0000-0000-000000000000"

const ACTIVITIES = 1
const SENDS = 2

/** All targets of an organization; none of a deleted one. */
export function webhookTargetsOf({
  webhookEndpoints,
  features,
  deletedAtMs,
}: OrganizationDocument): WebhookTarget[] {
  if (deletedAtMs !== 0n) return []
  const endpoints = webhookEndpoints.map(({ endpointId, url, paused, subscriptions }) => {
    const active = paused ? [] : subscriptions.filter((one) => !one.paused)
    const bits = active.map(({ eventType }) => (eventType === ACTIVITY_UPDATES ? ACTIVITIES : SENDS))
    return { endpointId, url, events: bits.reduce((all, bit) => all | bit, 0) }
  })
  const feature = features.find(({ name }) => name === FeatureName.WEBHOOK)
  if (feature === undefined) return endpoints
  return [...endpoints, { endpointId: FEATURE_TARGET, url: feature.value, events: ACTIVITIES }]
}

/**
 * Replaces the targets of an organization by those of a newer document. Notifications for a target that is gone are not sent:
 * the worker ends them. A new URL begins without the failures of the old one.
 */
export async function storeWebhookTargets(
  tx: Transaction,
  organizationId: string,
  targets: readonly WebhookTarget[],
): Promise<void> {
  const list = JSON.stringify(targets)
  await tx`
    with given as materialized (
      select * from jsonb_to_recordset(${list}::text::jsonb) as given ("endpointId" uuid, url text, events smallint)
    ), removed as (
      delete from webhook_targets
      where organization_id = ${organizationId} and endpoint_id not in (select "endpointId" from given)
      returning endpoint_id
    ), ending as (
      insert into webhook_endings (organization_id, endpoint_id, last_sequence)
      select ${organizationId}::uuid, endpoint_id,
        coalesce(pg_sequence_last_value(pg_get_serial_sequence('webhook_deliveries', 'sequence')::regclass), 0)
      from removed
      on conflict (organization_id, endpoint_id) do update set last_sequence = excluded.last_sequence, due_ms = 0
    )
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    select ${organizationId}::uuid, "endpointId", url, events from given
    on conflict (organization_id, endpoint_id) do update set url = excluded.url, events = excluded.events,
      failures = 0, retry_ms = 0
    where (webhook_targets.url, webhook_targets.events) is distinct from (excluded.url, excluded.events)`
}
