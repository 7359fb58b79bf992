-- Contacts by which people log in before they have proven them.
-- True: the contact is the only way in of its organization's one root user. Null: the row is older than this column.
alter table identities add column only_way_in boolean;
-- Kinds 3 and 4 are contacts. Rows of users with other credentials, which anybody can make, are not in it.
create index identities_by_login_contact on identities (parent_id, kind, digest, organization_id)
  where kind in (3, 4) and only_way_in is not false;
