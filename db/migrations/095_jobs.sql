-- What is to be done after a transaction: one table for all kinds of work, one runner (src/jobs). The transaction that makes the work
-- necessary writes the row. Rows are only added and removed, never merged: two posts under one question must not wait for each
-- other. Those of one kind and key that are due together are done as one.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null,
  key text not null,
  is_bulk boolean not null default false,
  queued_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  give_up_at timestamptz not null default now() + interval '3 days',
  tries integer not null default 0,
  last_error text,
  constraint jobs_kind_form check (kind ~ '^[a-z-]{1,30}$'),
  constraint jobs_key_length check (char_length(key) between 1 and 100),
  constraint jobs_tries_positive check (tries >= 0),
  constraint jobs_last_error_length check (char_length(last_error) <= 500)
);
comment on column jobs.key is 'what it is about, such as the id of a mail: no data';
comment on column jobs.is_bulk is 'after all others of its kind';
comment on column jobs.due_at is 'when to try next; during a try, when another process may, in case this one died';
comment on column jobs.give_up_at is 'not tried after this; the time of a permanent refusal';
create index jobs_due on jobs (kind, is_bulk, due_at, id);
create index jobs_key on jobs (kind, key);

-- Wakes the runners (src/web/change-feed). No page depends on it.
create function tell_jobs() returns trigger language plpgsql as $$
begin
  perform tell_change(json_build_object('scopes', array[]::text[], 'job', kind)) from (select distinct kind from new_rows) as added;
  return null;
end $$;
create trigger jobs_tell after insert on jobs referencing new table as new_rows
  for each statement when (is_told()) execute function tell_jobs();

-- A mail is sent by a job: its schedule moves there.
insert into jobs (kind, key, is_bulk, queued_at, due_at, give_up_at, tries, last_error)
select 'mail', id::text, is_bulk, written_at, due_at, give_up_at, tries, last_error from mails where sent_at is null;
create function queue_mail() returns trigger language plpgsql as $$
begin
  insert into jobs (kind, key, is_bulk) values ('mail', new.id::text, new.is_bulk);
  return null;
end $$;
create trigger mails_queue after insert on mails for each row execute function queue_mail();
drop index mails_due;
alter table mails drop column due_at, drop column give_up_at, drop column tries, drop column last_error;
create index mails_unsent on mails (person_id) where sent_at is null;

-- Questions whose search document is behind.
insert into jobs (kind, key, queued_at) select 'search', question_id::text, queued_at from search_queue;
delete from search_queue;
-- Processes of the version before still write here while they are replaced.
create function queue_for_search() returns trigger language plpgsql as $$
begin
  insert into jobs (kind, key) values ('search', new.question_id::text);
  return null;
end $$;
create trigger search_queue_moves before insert on search_queue for each row execute function queue_for_search();
comment on table search_queue is 'empty: replaced by jobs; version 0.2 writes here';
