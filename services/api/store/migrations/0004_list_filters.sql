-- One range of an index for every filter that lists offer.

-- Filters of list_activities. A type without statuses, or a status without types, reads one short range for each
-- pair of the two that occurs in the organization.
create index activities_by_type_and_status on activities (organization_id, type, status, id);

-- Deleted records are kept. These indexes leave them out: a list would otherwise read past all of them.
create index records_live on records (organization_id, kind, id) where not deleted;
create index records_live_by_parent on records (organization_id, parent_id, kind, id) where not deleted;
drop index records_by_parent;
