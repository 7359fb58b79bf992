-- Sequence of the ledger's transaction by which an activity last changed: what a restored ledger lacks is found by it. Null: the
-- ledger has nothing of the activity, or it was stored before.
alter table activities add column ledger_sequence bigint;
