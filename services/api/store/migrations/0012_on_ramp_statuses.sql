-- Status of a purchase at an on-ramp provider, as the provider told it last. The purchase itself is a record. No row: nobody
-- has asked the provider yet.
create table on_ramp_statuses (
  organization_id uuid not null,
  -- onRampTransactionId, the record's id.
  id uuid not null,
  -- PENDING, COMPLETED, FAILED or CANCELLED; the last three are final.
  status text not null,
  -- Time of the answer, Unix milliseconds.
  updated_ms bigint not null,
  primary key (organization_id, id)
);
