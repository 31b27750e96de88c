-- What is told beside posts, each on its own: an acceptance must not be lost behind a stronger reason, nor mailed twice because the
-- entry has not been seen.
alter table notifications
  add column accepted_at timestamptz(3),
  add column endorsed_at timestamptz(3),
  add column overdue_at timestamptz(3);
comment on column notifications.accepted_at is 'when it was told that an answer of the person was accepted';
comment on column notifications.endorsed_at is 'when it was told that staff endorsed an answer of the person';
comment on column notifications.overdue_at is 'when it was told that the question waits for longer than its course promises';
select set_config('handup.bulk', 'on', true);
update notifications set
  accepted_at = case reason when 'accepted' then happened_at end,
  endorsed_at = case reason when 'endorsed' then happened_at end,
  overdue_at = case reason when 'promise' then happened_at end
where reason in ('accepted', 'endorsed', 'promise');
select set_config('handup.bulk', '', true);
