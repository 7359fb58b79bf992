-- Sequence of the ledger's transaction after which the organization looked like this; 0: unknown. An organization with a
-- lower one than the ledger's is older than the ledger, and is restored from its archive.
alter table organizations add column ledger_sequence bigint not null default 0;
