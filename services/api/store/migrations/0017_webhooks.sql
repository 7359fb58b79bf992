-- Notifications of webhooks. Targets are made from the organizations' documents. Deliveries are queued by triggers, so that
-- they exist exactly if the change that they tell of is committed, whichever statement made it.
create table webhook_targets (
  organization_id uuid not null,
  -- The endpoint; the nil UUID for the URL of FEATURE_NAME_WEBHOOK.
  endpoint_id uuid not null,
  url text not null,
  -- Kinds of events: bit 1 activities, bit 2 statuses of sends. 0: it is paused.
  events smallint not null,
  -- Written by the worker: attempts in a row that failed, and the time before which no further one is made, Unix ms.
  failures integer not null default 0,
  retry_ms bigint not null default 0,
  -- Until then one worker delivers to the target, and no other one.
  leased_until timestamptz not null default '-infinity',
  primary key (organization_id, endpoint_id)
);

create table webhook_deliveries (
  -- The event's id: the same in every attempt.
  id uuid not null unique default gen_random_uuid(),
  -- The order of the queue.
  sequence bigint generated always as identity,
  -- The target.
  organization_id uuid not null,
  endpoint_id uuid not null,
  -- The organization that the event is of: the target's, or a sub-organization of it.
  source_id uuid not null,
  event_type text not null,
  -- The activity, or the send.
  subject_id uuid not null,
  -- The activity or the send as it was at the event; null once the body is written, and for a test.
  snapshot json,
  -- The body as it is signed and sent.
  body text,
  -- WAITING, ASIDE (waiting, without holding up others), DELIVERED, DEAD.
  state text not null default 'WAITING',
  attempts integer not null default 0,
  -- Time before which a delivery that stands aside is not tried again, Unix milliseconds.
  retry_ms bigint not null default 0,
  -- Result of the latest attempt: a status of HTTP, or one sentence.
  http_status integer,
  fault text,
  created_ms bigint not null,
  updated_ms bigint not null,
  -- True while the worker waits for the API to sign it.
  unsigned boolean not null default true,
  signed_at timestamptz,
  timestamp_ms bigint,
  key_id text,
  signature bytea,
  primary key (organization_id, id)
);
create index webhook_deliveries_waiting on webhook_deliveries (organization_id, endpoint_id, sequence)
  where state = 'WAITING';
create index webhook_deliveries_aside on webhook_deliveries (retry_ms) where state = 'ASIDE';
create index webhook_deliveries_unsigned on webhook_deliveries (sequence) where unsigned;
create index webhook_deliveries_ended on webhook_deliveries (updated_ms) where state in ('DELIVERED', 'DEAD');
create index webhook_deliveries_listed on webhook_deliveries (organization_id, sequence);

-- The targets that get an event of an organization: its own, and its parent's.
create function webhook_targets_of(source uuid, event smallint)
returns table (organization_id uuid, endpoint_id uuid) language sql stable as $$
  select t.organization_id, t.endpoint_id from webhook_targets t
  where t.organization_id = source and t.events & event <> 0
  union all
  select t.organization_id, t.endpoint_id from organizations o join webhook_targets t on t.organization_id = o.parent_id
  where o.id = source and t.events & event <> 0
$$;

create function activity_webhook_snapshot(a activities) returns json language sql immutable as $$
  select json_build_object('organizationId', a.organization_id, 'id', a.id, 'fingerprint', encode(a.fingerprint, 'hex'),
    'type', a.type, 'status', a.status, 'userId', a.user_id, 'deniedUserId', a.denied_user_id, 'intent', a.intent,
    'result', a.result, 'failure', a.failure, 'votes', a.votes, 'appProofs', a.app_proofs, 'createdMs', a.created_ms,
    'updatedMs', a.updated_ms)
$$;

create function webhook_now_ms() returns bigint language sql volatile as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

create function queue_new_activities() returns trigger language plpgsql as $$
begin
  -- Most deployments have no targets.
  if exists (select from webhook_targets) then
    insert into webhook_deliveries
      (organization_id, endpoint_id, source_id, event_type, subject_id, snapshot, created_ms, updated_ms)
    select t.organization_id, t.endpoint_id, a.organization_id, 'ACTIVITY_UPDATES', a.id,
      (select activity_webhook_snapshot(stored) from activities stored
        where stored.organization_id = a.organization_id and stored.id = a.id),
      webhook_now_ms(), webhook_now_ms()
    from changed a cross join lateral webhook_targets_of(a.organization_id, 1::smallint) t
    order by a.id;
  end if;
  return null;
end $$;
create trigger queue_new_activities after insert on activities
  referencing new table as changed for each statement execute function queue_new_activities();

create function queue_changed_activity() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries
    (organization_id, endpoint_id, source_id, event_type, subject_id, snapshot, created_ms, updated_ms)
  select t.organization_id, t.endpoint_id, new.organization_id, 'ACTIVITY_UPDATES', new.id,
    activity_webhook_snapshot(new), webhook_now_ms(), webhook_now_ms()
  from webhook_targets_of(new.organization_id, 1::smallint) t;
  return null;
end $$;
-- An update that changes neither status nor votes is no event.
create trigger queue_changed_activity after update on activities for each row
  when (old.status <> new.status or old.votes <> new.votes) execute function queue_changed_activity();

create function queue_changed_send() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries
    (organization_id, endpoint_id, source_id, event_type, subject_id, snapshot, created_ms, updated_ms)
  select t.organization_id, t.endpoint_id, new.organization_id, 'SEND_TRANSACTION_STATUS_UPDATES', new.id,
    json_build_object('sendTransactionStatusId', new.id, 'activityId', new.activity_id, 'status', new.status,
      'caip2', new.caip2, 'chain', new.chain, 'hash', new.hash, 'failure', new.failure, 'updatedMs', new.updated_ms),
    webhook_now_ms(), webhook_now_ms()
  from webhook_targets_of(new.organization_id, 2::smallint) t;
  return null;
end $$;
create trigger queue_changed_send after update on sends for each row
  when (old.status <> new.status) execute function queue_changed_send();
