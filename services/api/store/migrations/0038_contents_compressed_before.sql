-- Large contents arrive compressed (services/api/store/packed-texts.ts). PostgreSQL's own compression takes a tenth of a second
-- for a transaction with 128 kB of numbers, and would now only try in vain.
alter table activities alter column contents set storage external;
