-- True while identities, sessions or records of a deleted organization may remain. The worker removes them in pieces: their
-- number has no bound, and in the activity's own transaction they could take longer than a statement may, at each attempt.
alter table organizations add column rows_remain boolean not null default false;
-- Look-ups of a parent's sub-organizations leave these out.
create index organizations_with_remains on organizations (parent_id, id) where rows_remain;

-- Expired sessions: the worker removes them in pieces too.
create index sessions_by_expiry on sessions (expires_ms);
-- Users have few sessions at a time, and may have ended any number of them.
create index sessions_not_ended on sessions (organization_id, user_id, id) where not ended;

-- What ended long ago, by its state: dead notifications are kept longer than delivered ones.
drop index webhook_deliveries_ended;
create index webhook_deliveries_ended on webhook_deliveries (state, updated_ms) where state in ('DELIVERED', 'DEAD');
