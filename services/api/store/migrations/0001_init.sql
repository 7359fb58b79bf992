-- Everything the API tier keeps. Nothing here is trusted: documents and records are signed or sealed by the
-- signer, which checks them whenever it is shown one.
--
-- Each primary key begins with the organization, so that tables can be spread over servers by it. Ids are
-- UUIDv7: their order is the order of birth, which is what pages are cut by.

create table organizations (
  id uuid primary key,
  parent_id uuid,
  name text not null,
  version bigint not null,
  -- The notarized document, as the signer gave it.
  document bytea not null,
  created_ms bigint not null
);
create index organizations_by_parent on organizations (parent_id, id);

-- Look-up of who a public key belongs to; made from the documents.
create table credentials (
  organization_id uuid not null,
  public_key text not null,
  user_id uuid not null,
  primary key (organization_id, public_key)
);
create index credentials_by_key on credentials (public_key, organization_id);

create table records (
  organization_id uuid not null,
  -- RecordKind of countersign.state.v1.
  kind smallint not null,
  id uuid not null,
  -- The wallet of an account.
  parent_id uuid,
  address text,
  version bigint not null,
  -- True also for the children of a deleted record, whose own bytes stay as they were.
  deleted boolean not null,
  bytes bytea not null,
  primary key (organization_id, kind, id)
);
create index records_by_parent on records (organization_id, parent_id, id);
create index records_by_address on records (organization_id, address);

create table activities (
  organization_id uuid not null,
  id uuid not null,
  -- SHA-256 that makes a body sent twice the same activity.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  type text not null,
  status text not null,
  user_id uuid not null,
  -- JSON as it will be shown. text, not jsonb: the order of members and the digits of numbers are the caller's.
  intent text not null,
  result text,
  failure text,
  votes text not null,
  created_ms bigint not null,
  updated_ms bigint not null,
  primary key (organization_id, id),
  unique (organization_id, fingerprint)
);
