-- What people are told: one row for a person and a question. A new event raises the count and makes it unseen; of several reasons the
-- strongest stays. No names, titles or texts: they are read as it is shown or mailed, with the rights of that moment.
create table notifications (
  id bigint generated always as identity primary key,
  person_id bigint not null,
  question_id bigint not null,
  reason text not null,
  count integer not null default 1,
  first_answer_id bigint,
  first_reply_id bigint,
  since_at timestamptz(3) not null,
  happened_at timestamptz(3) not null,
  seen_at timestamptz,
  due_at timestamptz,
  unmailed_since timestamptz(3),
  mailed_at timestamptz,
  constraint notifications_subject_key unique (person_id, question_id),
  constraint notifications_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint notifications_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint notifications_answer_fkey foreign key (first_answer_id) references answers (id) on delete set null,
  constraint notifications_reply_fkey foreign key (first_reply_id) references replies (id) on delete set null,
  constraint notifications_reason_known check (reason in (
    'mention', 'answered', 'accepted', 'endorsed', 'reply', 'promise', 'flag', 'announcement', 'followed', 'question')),
  constraint notifications_count_positive check (count > 0),
  constraint notifications_due_of_unmailed check ((due_at is null) = (unmailed_since is null)),
  constraint notifications_due_unseen check (due_at is null or seen_at is null)
);
comment on column notifications.since_at is 'the first event that was not seen: what the entry shows begins there';
comment on column notifications.due_at is 'when a mail may tell of it; for ''soon'' the time of the first event, to which the sender adds MAIL_SOON_SECONDS. null: no mail';
comment on column notifications.unmailed_since is 'the first event that no mail told: what the mail shows begins there';
create index notifications_listed on notifications (person_id, happened_at, id);
create index notifications_question on notifications (question_id);
create index notifications_answer on notifications (first_answer_id) where first_answer_id is not null;
create index notifications_reply on notifications (first_reply_id) where first_reply_id is not null;
create index notifications_due on notifications (due_at, person_id) where due_at is not null;

-- How far somebody has read a question.
create table question_reads (
  question_id bigint not null,
  person_id bigint not null,
  read_at timestamptz(3) not null,
  constraint question_reads_pkey primary key (person_id, question_id),
  constraint question_reads_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_reads_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index question_reads_question on question_reads (question_id);
create index question_reads_latest on question_reads (person_id, read_at);

-- How often mail comes, and of what it does not.
alter table people
  add column mail_rhythm text not null default 'soon',
  add column mails_off text[] not null default '{}',
  add column mail_stopped_for text,
  add constraint people_mail_rhythm_known check (mail_rhythm in ('soon', 'daily', 'weekly', 'never')),
  add constraint people_mails_off_few check (cardinality(mails_off) <= 20);
alter table course_members
  add column mail_rhythm text,
  add constraint course_members_mail_rhythm_known check (mail_rhythm in ('soon', 'daily', 'weekly', 'never'));
comment on column people.mails_off is 'reasons of notifications (and ''week'') of which no mail tells';
comment on column people.mail_stopped_for is 'the address that three mails in a row came back from: it gets no more mail of what is new';
comment on column course_members.mail_rhythm is 'null: as people.mail_rhythm';

create function notice_rank(reason text) returns integer language sql immutable as $$
  select array_position(array['mention', 'answered', 'accepted', 'endorsed', 'reply', 'promise', 'flag', 'announcement', 'followed', 'question'], reason)
$$;

-- When a mail may tell of an event: at once, or at eight in the morning of the next day or Monday, where the person is.
create function next_mail_at(rhythm text, zone text, at timestamptz) returns timestamptz language plpgsql stable as $$
declare
  here timestamp;
  day date;
begin
  if rhythm = 'soon' then return at; end if;
  if rhythm = 'never' then return null; end if;
  begin
    here := at at time zone zone;
  exception when invalid_parameter_value then
    -- A name of a zone that this PostgreSQL does not know.
    zone := 'UTC';
    here := at at time zone zone;
  end;
  day := here::date + (here::time >= '08:00')::integer;
  if rhythm = 'weekly' then day := day + (8 - extract(isodow from day)::integer) % 7; end if;
  return (day + time '08:00') at time zone zone;
end $$;

-- Bells and marks in pages are each person's own. What only the sender of mail changes is not seen.
create function tell_own_of_notifications() returns trigger language plpgsql as $$
begin
  perform tell_own(array(
    select distinct person_id from (
      select person_id, id, reason, count, since_at, happened_at, seen_at from new_rows
      except select person_id, id, reason, count, since_at, happened_at, seen_at from old_rows
    ) as changed
    order by person_id));
  return null;
end $$;
create trigger notifications_tell_insert after insert on notifications referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger notifications_tell_update after update on notifications referencing old table as old_rows new table as new_rows
  for each statement when (is_told()) execute function tell_own_of_notifications();
create trigger notifications_tell_delete after delete on notifications referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_reads_tell_insert after insert on question_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_reads_tell_update after update on question_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
