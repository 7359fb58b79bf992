-- True: the contact is the only login method of its organization's one root user. Null: the row is of a release before 0026.
-- The column of 0026 in the words of the code. Its index follows the name.
alter table identities rename column only_way_in to only_login_method;
