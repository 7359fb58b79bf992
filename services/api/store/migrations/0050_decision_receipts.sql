-- Receipts of the signer's log for decisions that no stored vote has: a body that was decided again, or a denial that was only counted.
create table decision_receipts (
  organization_id uuid not null,
  vote_id uuid not null,
  activity_id uuid not null,
  fingerprint bytea not null,
  decided_ms bigint not null,
  receipt bytea not null,
  primary key (organization_id, vote_id)
);
