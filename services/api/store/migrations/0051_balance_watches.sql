-- Addresses whose balances webhook endpoints follow. The API makes the rows from organizations' documents; the worker polls them.
create table balance_watches (
  organization_id uuid not null,
  endpoint_id uuid not null,
  -- BALANCE_CONFIRMED_UPDATES or BALANCE_FINALIZED_UPDATES.
  event_type text not null,
  -- The chain's canonical CAIP-2 name.
  caip2 text not null,
  address text not null,
  -- Tokens of the chain that the organization's velocity controls list: a list of {caip19, token, decimals, symbol}.
  tokens jsonb not null,
  -- The rest is written by the worker. Amounts that were reported last, by CAIP-19 type; null: none was read yet.
  balances jsonb,
  -- Other amounts, and the block at which they were read, until enough blocks follow it.
  pending jsonb,
  -- Not polled before, Unix milliseconds. A worker that polls it sets a time by which it has ended.
  due_ms bigint not null,
  -- Polls in a row that failed.
  failures integer not null default 0,
  -- Counts what was stored: a poll stores nothing over a newer one.
  version bigint not null default 0,
  primary key (organization_id, endpoint_id, event_type, caip2, address)
);
-- Organizations take turns on each chain.
create index balance_watches_due on balance_watches (caip2, organization_id, due_ms);
