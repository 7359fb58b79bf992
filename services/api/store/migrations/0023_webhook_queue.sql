-- The queue of targets. A worker's look costs as much as the targets that it leases, however many wait.
alter table webhook_targets
  -- The top-level organization: targets of its sub-organizations count with its own.
  add column family_id uuid,
  -- True while notifications wait for it. Written by the worker that leases targets, and nobody else.
  add column waiting boolean not null default false;
update webhook_targets t set family_id =
  coalesce((select o.parent_id from organizations o where o.id = t.organization_id), t.organization_id);
alter table webhook_targets alter column family_id set not null;
create index webhook_targets_waiting on webhook_targets (family_id, retry_ms, endpoint_id) where waiting and events <> 0;
create index webhook_targets_leased on webhook_targets (family_id) where leased_until > '-infinity';

create function set_webhook_family() returns trigger language plpgsql as $$
begin
  new.family_id := coalesce((select parent_id from organizations where id = new.organization_id), new.organization_id);
  return new;
end $$;
create trigger set_webhook_family before insert on webhook_targets for each row execute function set_webhook_family();

-- Families with targets to lease, those that have waited longest first. Written by the worker that leases targets.
create table webhook_families (
  -- The top-level organization.
  organization_id uuid primary key,
  -- No target of the family can be leased before, Unix milliseconds.
  due_ms bigint not null
);
create index webhook_families_due on webhook_families (due_ms, organization_id);

-- Targets to look at: notifications were signed, a lease has ended, or the target was changed. Rows are added with what they
-- tell of, and lock nothing: neither activities nor workers wait for each other.
create table webhook_wakes (
  sequence bigint generated always as identity,
  organization_id uuid not null,
  endpoint_id uuid not null,
  primary key (organization_id, sequence)
);
create index webhook_wakes_oldest on webhook_wakes (sequence);
insert into webhook_wakes (organization_id, endpoint_id) select organization_id, endpoint_id from webhook_targets;

create function wake_webhook_target() returns trigger language plpgsql as $$
begin
  insert into webhook_wakes (organization_id, endpoint_id) values (new.organization_id, new.endpoint_id);
  return null;
end $$;
-- A target that is leased is looked at when its lease ends.
create trigger wake_webhook_target after insert or update of events, retry_ms, leased_until on webhook_targets
  for each row when (new.leased_until < now()) execute function wake_webhook_target();

-- Notifications that stand aside, by top-level organization.
alter table webhook_deliveries
  -- The target's family, written when the notification is set aside.
  add column aside_family_id uuid;
update webhook_deliveries d set aside_family_id = t.family_id from webhook_targets t
where d.state = 'ASIDE' and t.organization_id = d.organization_id and t.endpoint_id = d.endpoint_id;
drop index webhook_deliveries_aside;
create index webhook_deliveries_aside on webhook_deliveries (aside_family_id, retry_ms, id)
  where state = 'ASIDE' and not unsigned;
