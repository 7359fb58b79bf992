-- Files to which old activities were exported. A file is recorded before the first of its activities is removed.
create table activity_exports (
  file integer primary key,
  -- Digest of the file, as the next file names it (docs/formats/activity-export.md).
  digest bytea not null check (octet_length(digest) = 32),
  activities integer not null,
  exported_ms bigint not null
);
-- When a process of the signer last made an app proof, to ten minutes, Unix milliseconds. Those that are stored already may
-- have made one until now.
alter table boot_proofs
  add column last_used_ms bigint not null default (extract(epoch from now()) * 1000)::bigint;
