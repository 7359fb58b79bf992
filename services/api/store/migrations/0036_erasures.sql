-- Deleted organizations whose rows an operator has erased, so that no erasure is silent. One that was interrupted is continued by
-- the next one, which adds to the numbers.
create table erasures (
  organization_id uuid primary key,
  parent_id uuid not null,
  -- Activities that were removed: the organization's own, and the parent's that named it.
  own_activities bigint not null default 0,
  parent_activities bigint not null default 0,
  -- Unix milliseconds.
  erased_ms bigint not null
);
