-- In steps
alter table questions validate constraint questions_held_for_known;
alter table answers validate constraint answers_held_for_known;
alter table replies validate constraint replies_held_for_known;
alter table questions validate constraint questions_held_for_held;
alter table answers validate constraint answers_held_for_held;
alter table replies validate constraint replies_held_for_held;
alter table notifications validate constraint notifications_reason_known;
create index concurrently if not exists questions_held on questions (course_id, held_at, id) where held_at is not null and deleted_at is null;
create index concurrently if not exists answers_held on answers (held_at, id) where held_at is not null and deleted_at is null;
create index concurrently if not exists replies_held on replies (held_at, id) where held_at is not null and deleted_at is null;
-- over people
update people set mails_off = mails_off || '{released}'
where id > $1 and id <= $2 and 'accepted' = any(mails_off) and not 'released' = any(mails_off) and cardinality(mails_off) <= 19;
-- over people
update people set pushes_off = pushes_off || '{released}'
where id > $1 and id <= $2 and 'accepted' = any(pushes_off) and not 'released' = any(pushes_off) and cardinality(pushes_off) <= 19;
