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
  -- Kept for its history; found by nothing but its id.
  deleted boolean not null,
  -- The notarized document, as the signer gave it.
  document bytea not null,
  created_ms bigint not null
);
create index organizations_by_parent on organizations (parent_id, id) where not deleted;

-- What sub-organizations are found by below their parent: contacts, credentials, names. Made from the documents.
-- The parent stands in each row, so that a look-up is one range of one index however many organizations of
-- however many families share an identity.
create table identities (
  organization_id uuid not null,
  -- IdentityKind of services/api/identities.ts.
  kind smallint not null,
  -- SHA-256 of the canonical form: of one length, while names and claims may exceed what an index takes.
  digest bytea not null check (octet_length(digest) = 32),
  parent_id uuid not null,
  -- A contact that somebody has proven to hold.
  verified boolean not null,
  primary key (organization_id, kind, digest)
);
create index identities_by_digest on identities (parent_id, kind, digest, organization_id);
create index identities_by_verified_digest on identities (parent_id, kind, digest, organization_id) where verified;
create index identities_by_verified on identities (parent_id, organization_id) where verified;

create table records (
  organization_id uuid not null,
  -- RecordKind of countersign.state.v1.
  kind smallint not null,
  id uuid not null,
  -- The wallet of an account.
  parent_id uuid,
  -- Canonical form.
  address text,
  -- Parent of the organization, for look-ups of an address below it.
  family_id uuid,
  version bigint not null,
  -- True also for the children of a deleted record, whose own bytes stay as they were.
  deleted boolean not null,
  bytes bytea not null,
  primary key (organization_id, kind, id)
);
create index records_by_parent on records (organization_id, parent_id, id);
create index records_by_address on records (organization_id, address);
create index records_by_family_address on records (family_id, address, organization_id, kind)
  where address is not null and not deleted;

-- Keys that stamp until they expire, opened by logins. They stand beside the records because they pass.
create table sessions (
  organization_id uuid not null,
  id uuid not null,
  public_key text not null,
  user_id uuid not null,
  expires_ms bigint not null,
  -- Before its time.
  ended boolean not null,
  -- The record, as the signer gave it.
  bytes bytea not null,
  primary key (organization_id, id)
);
create index sessions_by_key on sessions (organization_id, public_key, id);

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
