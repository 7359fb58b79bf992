-- Ids of the policies whose outcomes votes have, once for all votes with the same list. Votes that are stored already keep
-- their own ids.
create table policy_lists (
  organization_id uuid not null,
  -- First 16 bytes of the SHA-256 of the ids (signer/core/policy/outcome-list.ts).
  digest bytea not null,
  -- Ids in the order of the outcomes, 16 bytes each.
  policy_ids bytea not null,
  -- Votes that refer to it were stored until then, to one hour, Unix milliseconds.
  last_used_ms bigint not null,
  primary key (organization_id, digest)
);
