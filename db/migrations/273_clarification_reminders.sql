-- Whoever asked is reminded once, three days after staff asked for clarification.
alter table notifications
  add column clarify_at timestamptz(3),
  drop constraint notifications_reason_known,
  add constraint notifications_reason_known check (reason in (
    'mention', 'answered', 'accepted', 'endorsed', 'reply', 'clarification', 'promise', 'flag', 'announcement', 'followed',
    'question')) not valid;
alter table notifications validate constraint notifications_reason_known;
comment on column notifications.clarify_at is 'when the person was reminded that staff wait for a clarification of the question';

create or replace function notice_rank(reason text) returns integer language sql immutable as $$
  select array_position(array['mention', 'answered', 'accepted', 'endorsed', 'reply', 'clarification', 'promise', 'flag',
    'announcement', 'followed', 'question'], reason)
$$;

-- Nobody is reminded of what staff asked before this version.
update question_desk set reminded_since = asker_since where asker_since is not null;
