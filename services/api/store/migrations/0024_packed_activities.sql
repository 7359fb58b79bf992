-- Rows of new activities: body, votes, result and proofs once, in few bytes. Rows that are stored already stay as they are
-- and are read as before.
alter table activities
  -- Packed texts (services/api/store/contents.ts); null: the row was stored by 0.1.0, in the columns of text.
  add column contents bytea,
  -- Characters of the texts in contents, which bound a page of a list.
  add column text_length integer,
  alter column intent drop not null,
  alter column votes drop not null;
-- In new rows type and final status are numbers, in decimal: of ActivityType, of ActivityStatus.
-- Statuses of pending activities are names, as the index of pending activities has them.

create or replace function activity_webhook_snapshot(a activities) returns json language sql immutable as $$
  select json_build_object('organizationId', a.organization_id, 'id', a.id, 'fingerprint', encode(a.fingerprint, 'hex'),
    'type', a.type, 'status', a.status, 'userId', a.user_id, 'deniedUserId', a.denied_user_id, 'intent', a.intent,
    'result', a.result, 'failure', a.failure, 'votes', a.votes, 'appProofs', a.app_proofs,
    'contents', encode(a.contents, 'hex'), 'textLength', a.text_length, 'createdMs', a.created_ms,
    'updatedMs', a.updated_ms)
$$;

drop trigger queue_changed_activity on activities;
-- An update that changes neither status nor votes is no event.
create trigger queue_changed_activity after update on activities for each row
  when (old.status <> new.status or old.votes is distinct from new.votes or old.contents is distinct from new.contents)
  execute function queue_changed_activity();

-- 3: completed. 233, 234: REDELIVER_WEBHOOK_DELIVERIES, SEND_WEBHOOK_TEST_EVENT. Their results are in the column of text.
create or replace function carry_out_webhook_activity() returns trigger language plpgsql as $$
begin
  if new.type = '233' then
    perform redeliver_webhooks(new.organization_id, new.result::json -> 'redeliverWebhookDeliveriesResult');
  else
    perform test_webhook(new.organization_id, new.result::json -> 'sendWebhookTestEventResult');
  end if;
  return null;
end $$;
drop trigger carry_out_webhook_activity on activities;
drop trigger carry_out_approved_webhook_activity on activities;
create trigger carry_out_webhook_activity after insert on activities for each row
  when (new.status = '3' and new.type in ('233', '234')) execute function carry_out_webhook_activity();
create trigger carry_out_approved_webhook_activity after update on activities for each row
  when (old.status <> new.status and new.status = '3' and new.type in ('233', '234'))
  execute function carry_out_webhook_activity();
