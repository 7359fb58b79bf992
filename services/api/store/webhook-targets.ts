import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { readBalanceFilter } from "../../../signer/core/modules/webhooks/balance-filter.ts"
import {
  ACTIVITY_UPDATES,
  BALANCE_CONFIRMED,
  BALANCE_FINALIZED,
  SEND_UPDATES,
} from "../../../signer/core/webhook/statement.ts"
import type { ChainAsset } from "../../chains/assets.ts"
import { canonicalChain } from "../../chains/chains.ts"
import type { Transaction } from "../../database/database.ts"
import { listedTokens } from "./listed-tokens.ts"

/** A URL of an organization that receives events. */
export type WebhookTarget = {
  endpointId: string
  url: string
  events: number
  /** Addresses whose balances it follows; absent: none. */
  watches?: readonly BalanceWatch[]
}

/** An address whose balances an endpoint follows. `tokens`: those of the chain that the organization's velocity controls list. */
type BalanceWatch = { eventType: string; caip2: string; address: string; tokens: readonly ChainAsset[] }

/** Id of the target that FEATURE_NAME_WEBHOOK names. */
const FEATURE_TARGET = "00000000-0000-0000-0000-000000000000"

/** Bits of the kinds of events. */
const EVENTS: { readonly [eventType: string]: number } = {
  [ACTIVITY_UPDATES]: 1,
  [SEND_UPDATES]: 2,
  [BALANCE_CONFIRMED]: 4,
  [BALANCE_FINALIZED]: 8,
}
const ACTIVITIES = 1

/** All targets of an organization; none of a deleted one. */
export function webhookTargetsOf(document: OrganizationDocument): WebhookTarget[] {
  const { webhookEndpoints, features, deletedAtMs } = document
  if (deletedAtMs !== 0n) return []
  const endpoints = webhookEndpoints.map(({ endpointId, url, paused, subscriptions }) => {
    const active = paused ? [] : subscriptions.filter((one) => !one.paused)
    const events = active.reduce((bits, { eventType }) => bits | (EVENTS[eventType] ?? 0), 0)
    const watches = active.flatMap((one) => watchesOf(one, document))
    return { endpointId, url, events, ...(watches.length > 0 && { watches }) }
  })
  const feature = features.find(({ name }) => name === FeatureName.WEBHOOK)
  if (feature === undefined) return endpoints
  return [...endpoints, { endpointId: FEATURE_TARGET, url: feature.value, events: ACTIVITIES }]
}

function watchesOf(
  { eventType, filtersJson }: OrganizationDocument["webhookEndpoints"][number]["subscriptions"][number],
  document: OrganizationDocument,
): BalanceWatch[] {
  if (filtersJson === "") return []
  return readBalanceFilter(filtersJson, "").map(({ caip2: named, address }) => {
    const caip2 = canonicalChain(named)
    return { eventType, caip2, address, tokens: listedTokens(document, caip2) }
  })
}

/**
 * Replaces the targets of an organization by those of a document, unless a newer one is stored. Notifications for a target that is
 * gone are not sent: the worker ends them. A new URL begins without the failures of the old one. An address that is followed again,
 * also after a pause, begins with the balances that the worker reads next.
 */
export async function storeWebhookTargets(
  tx: Transaction,
  organizationId: string,
  { version, targets }: { version: bigint; targets: readonly WebhookTarget[] },
): Promise<void> {
  if (targets.length === 0) {
    await tx.unsafe(REMOVE_ALL, [organizationId, version.toString()], { prepare: true })
    return
  }
  const list = JSON.stringify(targets)
  await tx`
    with newer as materialized (
      select from organizations where id = ${organizationId} and version > ${version}
    ), given as materialized (
      select * from jsonb_to_recordset(${list}::text::jsonb)
        as given ("endpointId" uuid, url text, events smallint, watches jsonb)
      where not exists (select from newer)
    ), watched as materialized (
      select distinct on ("endpointId", "eventType", caip2, address) "endpointId", "eventType", caip2, address, tokens
      from given cross join lateral jsonb_to_recordset(watches)
        as watch ("eventType" text, caip2 text, address text, tokens jsonb)
    ), unwatched as (
      delete from balance_watches where organization_id = ${organizationId} and not exists (select from newer)
        and (endpoint_id, event_type, caip2, address) not in (
          select "endpointId", "eventType", caip2, address from watched)
    ), watching as (
      insert into balance_watches (organization_id, endpoint_id, event_type, caip2, address, tokens, due_ms)
      select ${organizationId}::uuid, "endpointId", "eventType", caip2, address, tokens, webhook_now_ms() from watched
      on conflict (organization_id, endpoint_id, event_type, caip2, address) do update set tokens = excluded.tokens
        where balance_watches.tokens <> excluded.tokens
    ), removed as (
      delete from webhook_targets
      where organization_id = ${organizationId} and endpoint_id not in (select "endpointId" from given)
        and not exists (select from newer)
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

/** The statement of a document without targets, as most are: a text that is made once, and two parameters. */
const REMOVE_ALL = `
  with newer as materialized (
    select from organizations where id = $1::uuid and version > $2::bigint
  ), unwatched as (
    delete from balance_watches where organization_id = $1::uuid and not exists (select from newer)
  ), removed as (
    delete from webhook_targets where organization_id = $1::uuid and not exists (select from newer) returning endpoint_id
  )
  insert into webhook_endings (organization_id, endpoint_id, last_sequence)
  select $1::uuid, endpoint_id,
    coalesce(pg_sequence_last_value(pg_get_serial_sequence('webhook_deliveries', 'sequence')::regclass), 0)
  from removed
  on conflict (organization_id, endpoint_id) do update set last_sequence = excluded.last_sequence, due_ms = 0`
