-- Denials of each user on the last day on which they had any: so many are stored as activities, and the others only counted.
create table denial_counts (
  organization_id uuid not null,
  user_id uuid not null,
  -- Days since 1970-01-01, UTC.
  day integer not null,
  denials bigint not null,
  -- Characters of their texts.
  characters bigint not null,
  primary key (organization_id, user_id)
);
