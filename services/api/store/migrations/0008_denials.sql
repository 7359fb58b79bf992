-- A denial is kept beside the activity that its body becomes if it runs later, and beside other users' denials.
-- The user who was denied; null for an activity that was not denied. Until now each body had one row.
alter table activities add column denied_user_id uuid;
update activities set denied_user_id = user_id
where status = 'ACTIVITY_STATUS_FAILED'
  and failure like '%"type.googleapis.com/errors.v1.PolicyEnginePermissionError"%';
alter table activities
  add constraint activities_body unique nulls not distinct (organization_id, fingerprint, denied_user_id),
  drop constraint activities_organization_id_fingerprint_key;
