-- Removed targets whose notifications are to end. The worker does it in pieces: thousands of rows, changed in the activity's own
-- transaction, would take longer than a statement may, and the target could never be removed.
create sequence webhook_ending_turns;
create table webhook_endings (
  organization_id uuid not null,
  -- The target: the nil UUID may name another one later.
  endpoint_id uuid not null,
  -- The newest notification that was queued when the target was removed.
  last_sequence bigint not null,
  -- Not before, Unix milliseconds: activities that were being stored at the removal may queue some more.
  due_ms bigint not null default 0,
  -- Among those that are due the lowest is next.
  turn bigint not null default nextval('webhook_ending_turns'),
  primary key (organization_id, endpoint_id)
);
create index webhook_endings_turn on webhook_endings (turn);
