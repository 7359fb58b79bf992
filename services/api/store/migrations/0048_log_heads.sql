-- Latest checkpoint of each log that the signer signed, as a note. The signer is shown it after each start.
create table log_heads (
  origin text primary key,
  size bigint not null,
  note bytea not null
);
