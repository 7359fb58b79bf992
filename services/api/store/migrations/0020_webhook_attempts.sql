-- Attempts of webhooks, notifications that are sent again, and tests.
alter table webhook_deliveries
  -- Time from which the lifetime counts, if it was sent again, Unix milliseconds; null: from created_ms.
  add column queued_ms bigint;

create table webhook_attempts (
  sequence bigint generated always as identity,
  organization_id uuid not null,
  delivery_id uuid not null,
  -- Unix milliseconds.
  started_ms bigint not null,
  duration_ms integer not null,
  -- A status of HTTP, or one sentence.
  http_status integer,
  fault text,
  primary key (organization_id, delivery_id, sequence),
  foreign key (organization_id, delivery_id) references webhook_deliveries (organization_id, id) on delete cascade
);

create index webhook_deliveries_dead on webhook_deliveries (organization_id, endpoint_id, sequence) where state = 'DEAD';
create index webhook_deliveries_backlog on webhook_deliveries (coalesce(queued_ms, created_ms))
  where state in ('WAITING', 'ASIDE');
create index webhook_deliveries_of_endpoint on webhook_deliveries (organization_id, endpoint_id, sequence);

-- The signer has decided these activities; their results name what is sent. A restored activity may come again: a
-- notification is sent at least once.
create function redeliver_webhooks(organization uuid, asked json) returns void language plpgsql as $$
declare
  endpoint uuid := (asked ->> 'endpointId')::uuid;
  ids uuid[] := array(select json_array_elements_text(asked -> 'deliveryIds')::uuid);
begin
  if cardinality(ids) = 0 then
    ids := array(
      select id from webhook_deliveries
      where organization_id = organization and endpoint_id = endpoint and state = 'DEAD' order by sequence limit 10000
    );
  end if;
  -- Signed anew once the worker comes to them. What never had a body cannot be sent.
  update webhook_deliveries set state = 'WAITING', attempts = 0, retry_ms = 0, queued_ms = webhook_now_ms(),
    updated_ms = webhook_now_ms(), signed_at = null
  where organization_id = organization and id = any (ids) and endpoint_id = endpoint
    and (body is not null or snapshot is not null);
  update webhook_targets set retry_ms = 0 where organization_id = organization and endpoint_id = endpoint;
end $$;

create function test_webhook(organization uuid, asked json) returns void language sql as $$
  insert into webhook_deliveries
    (id, organization_id, endpoint_id, source_id, event_type, subject_id, body, created_ms, updated_ms)
  select (asked ->> 'deliveryId')::uuid, organization, (asked ->> 'endpointId')::uuid, organization, 'WEBHOOK_TEST',
    (asked ->> 'deliveryId')::uuid,
    json_build_object('type', 'webhook:test', 'organizationId', organization,
      'parentOrganizationId', coalesce((select parent_id::text from organizations where id = organization), ''),
      'msg', json_build_object('endpointId', asked ->> 'endpointId', 'timestamp', webhook_now_ms() / 1000))::text,
    webhook_now_ms(), webhook_now_ms()
  on conflict do nothing
$$;

create function carry_out_webhook_activity() returns trigger language plpgsql as $$
begin
  if new.type = 'ACTIVITY_TYPE_REDELIVER_WEBHOOK_DELIVERIES' then
    perform redeliver_webhooks(new.organization_id, new.result::json -> 'redeliverWebhookDeliveriesResult');
  else
    perform test_webhook(new.organization_id, new.result::json -> 'sendWebhookTestEventResult');
  end if;
  return null;
end $$;
create trigger carry_out_webhook_activity after insert on activities for each row
  when (new.status = 'ACTIVITY_STATUS_COMPLETED' and new.type in
    ('ACTIVITY_TYPE_REDELIVER_WEBHOOK_DELIVERIES', 'ACTIVITY_TYPE_SEND_WEBHOOK_TEST_EVENT'))
  execute function carry_out_webhook_activity();
create trigger carry_out_approved_webhook_activity after update on activities for each row
  when (old.status <> new.status and new.status = 'ACTIVITY_STATUS_COMPLETED' and new.type in
    ('ACTIVITY_TYPE_REDELIVER_WEBHOOK_DELIVERIES', 'ACTIVITY_TYPE_SEND_WEBHOOK_TEST_EVENT'))
  execute function carry_out_webhook_activity();
