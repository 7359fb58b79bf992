-- What waits without holding up others is deferred, in tables as in code.
alter table webhook_deliveries rename column aside_family_id to deferred_family_id;
update webhook_deliveries set state = 'DEFERRED' where state = 'ASIDE';
drop index webhook_deliveries_aside;
create index webhook_deliveries_deferred on webhook_deliveries (deferred_family_id, retry_ms, id)
  where state = 'DEFERRED' and not unsigned;
drop index webhook_deliveries_backlog;
create index webhook_deliveries_backlog on webhook_deliveries (coalesce(queued_ms, created_ms))
  where state in ('WAITING', 'DEFERRED');
