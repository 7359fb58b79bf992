-- The sender of calls that a delegate runs, or of a change of delegation, and the nonces that it uses beside the one of
-- the transaction: of the delegate contract (up to 2^128 - 1), and of the account by an authorization (EIP-7702). Null: the
-- transaction uses none, or was signed by an earlier release.
alter table sends
  add column delegator text,
  add column gas_station_nonce numeric(39),
  add column authorization_nonce numeric(20);
create index sends_open_delegators on sends (chain, delegator)
  where delegator is not null and status in ('INITIALIZED', 'BROADCASTING');
-- A transaction that was signed elsewhere is looked up by its activity: the reply names no other id.
create index sends_activities on sends (organization_id, activity_id);

-- Which nonce an order got is not read: the outcome that is recovered says it.
alter table nonce_reservations alter column nonce drop not null;
