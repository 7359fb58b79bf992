-- Lists of deliveries read one short range for each pair of status and kind of event.
create index webhook_deliveries_by_state on webhook_deliveries (organization_id, state, event_type, sequence);
create index webhook_deliveries_of_endpoint_by_state
  on webhook_deliveries (organization_id, endpoint_id, state, event_type, sequence);
drop index webhook_deliveries_listed;
drop index webhook_deliveries_of_endpoint;

-- Endpoints whose dead deliveries are to be sent again. The worker does it in pieces: thousands of rows, changed in the
-- activity's own transaction, would delay the activities that are stored with it.
create sequence webhook_redelivery_turns;
create table webhook_redeliveries (
  organization_id uuid not null,
  endpoint_id uuid not null,
  -- Sequence of the last delivery that was read, and how many may follow.
  after_sequence bigint not null default 0,
  remaining integer not null default 10000,
  -- The lowest is next.
  turn bigint not null default nextval('webhook_redelivery_turns'),
  primary key (organization_id, endpoint_id)
);
create index webhook_redeliveries_turn on webhook_redeliveries (turn);

create or replace function redeliver_webhooks(organization uuid, asked json) returns void language plpgsql as $$
declare
  endpoint uuid := (asked ->> 'endpointId')::uuid;
  ids uuid[] := array(select json_array_elements_text(asked -> 'deliveryIds')::uuid);
begin
  if cardinality(ids) = 0 then
    insert into webhook_redeliveries (organization_id, endpoint_id) values (organization, endpoint)
    on conflict (organization_id, endpoint_id) do update set after_sequence = 0, remaining = 10000;
    return;
  end if;
  -- Signed anew once the worker comes to them. What never had a body cannot be sent.
  update webhook_deliveries set state = 'WAITING', attempts = 0, retry_ms = 0, queued_ms = webhook_now_ms(),
    updated_ms = webhook_now_ms(), signed_at = null
  where organization_id = organization and id = any (ids) and endpoint_id = endpoint
    and (body is not null or snapshot is not null);
  update webhook_targets set retry_ms = 0 where organization_id = organization and endpoint_id = endpoint;
end $$;
