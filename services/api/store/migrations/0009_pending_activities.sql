-- Activities that wait for votes, oldest first, of all organizations: those that have expired are found without the others.
create index activities_pending on activities (created_ms, id)
where status in ('ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED');
