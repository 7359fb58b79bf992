-- SHA-256 of the path of a wallet's account, so that get_wallet_account reads one row however many accounts the wallet
-- has. A path may be longer than an entry of an index.
alter table records add column path_digest bytea;

-- Rows that are stored already. In an account's bytes the path follows wallet, curve and path format, as tag, length
-- (one byte, or two in groups of seven bits) and text.
with accounts as (
  select organization_id, kind, id, bytes, decode('0a24', 'hex') || convert_to(parent_id::text, 'UTF8') as wallet
  from records where parent_id is not null
), fields as (
  select organization_id, kind, id, regexp_match(
    encode(substring(bytes from position(wallet in bytes) + octet_length(wallet)), 'hex'),
    '^(?:10[0-9a-f]{2})?(?:18[0-9a-f]{2})?22([0-7][0-9a-f]|[89a-f][0-9a-f][0-7][0-9a-f])((?:[0-9a-f]{2})*)'
  ) as field
  from accounts where position(wallet in bytes) > 0
), lengths as (
  select organization_id, kind, id, field[2] as rest, decode(field[1], 'hex') as length
  from fields where field is not null
), paths as (
  select organization_id, kind, id, left(rest, 2 * case octet_length(length)
    when 1 then get_byte(length, 0)
    else get_byte(length, 0) - 128 + 128 * get_byte(length, 1)
  end) as hex
  from lengths
)
update records set path_digest = sha256(decode(paths.hex, 'hex')) from paths
where paths.hex ~ '^(?:6d|2f|27|3[0-9])+$' and records.organization_id = paths.organization_id
  and records.kind = paths.kind and records.id = paths.id;

create index records_by_path on records (organization_id, parent_id, path_digest, id)
  where path_digest is not null and not deleted;
