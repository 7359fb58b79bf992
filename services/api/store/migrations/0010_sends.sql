-- Signed transactions to broadcast and follow. The worker updates them; the API inserts them with their activity.
create table sends (
  organization_id uuid not null,
  -- sendTransactionStatusId.
  id uuid not null,
  activity_id uuid not null,
  -- CAIP-2 as in the body, and in its canonical spelling.
  caip2 text not null,
  chain text not null,
  -- The account whose nonce the transaction uses, and that nonce; 0 on Solana. numeric: uint64 exceeds bigint.
  account text not null,
  nonce numeric(20) not null,
  -- The transaction as nodes take it, and its hash or first signature.
  raw bytea not null,
  hash text not null,
  -- Block height after which Solana refuses the transaction; 0: unknown.
  last_valid_block_height numeric(20) not null,
  -- INITIALIZED, BROADCASTING, INCLUDED, FAILED.
  status text not null,
  -- JSON of why it failed, or of the latest fault while it is open.
  failure text,
  -- When a node last took the transaction, Unix milliseconds.
  broadcast_ms bigint,
  -- Since when the account's nonce is beyond this one without the transaction being mined, Unix milliseconds.
  superseded_ms bigint,
  created_ms bigint not null,
  updated_ms bigint not null,
  primary key (organization_id, id)
);
-- Nonces in use, and the worker's look for transactions without a job.
create index sends_open on sends (chain, account, nonce) where status in ('INITIALIZED', 'BROADCASTING');

-- The nonce that an order to the signer has, from before the order until its outcome is stored. A row that stays after a
-- crash says which outcome to recover before the account's next nonce is chosen.
create table nonce_reservations (
  chain text not null,
  account text not null,
  nonce numeric(20) not null,
  organization_id uuid not null,
  -- Of the send's activity.
  fingerprint bytea not null,
  reserved_ms bigint not null,
  primary key (chain, account)
);
