-- App proofs stand with their activity. JSON as it is shown: a list; null where nobody asked for them.
alter table activities add column app_proofs text;

-- What ties the keys of app proofs to the deployment: one row for each process of the signer that made any. They
-- belong to no organization, and outlive their process: what it signed is verified later.
create table boot_proofs (
  -- 260 hexadecimal digits.
  ephemeral_key text primary key,
  created_ms bigint not null,
  -- The message BootProof, as the signer gave it.
  proof bytea not null
);
