-- A status that rests on blocks which a reorganization may still replace: INCLUDED, or FAILED because another transaction
-- used the nonce. The worker follows it until the chain's blocks count as final. Rows of earlier releases are settled.
alter table sends
  add column unsettled boolean not null default false,
  -- The block that includes the transaction, on Solana its slot; after a failure the newest block at that moment.
  add column block_number numeric(20),
  -- Null on Solana and after a failure.
  add column block_hash text;
create index sends_unsettled on sends (chain, block_number) where unsettled;
