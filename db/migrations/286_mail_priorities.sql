-- Mail of what happened to its reader goes before mail to very many: of three priorities each gets its share (src/jobs/table.ts).
alter table jobs
  add column priority smallint not null default 0,
  add constraint jobs_priority_known check (priority between 0 and 2);
comment on column jobs.priority is '0 is done first; 1 and 2 share what is left, four to one';
comment on column jobs.is_bulk is 'priority > 0: version 0.2 reads it';
update jobs set priority = 1 where is_bulk;
drop index jobs_due;
create index jobs_due on jobs (kind, priority, due_at, id);

alter table mails
  add column is_broadcast boolean not null default false,
  add constraint mails_broadcast_is_bulk check (is_bulk or not is_broadcast) not valid;
alter table mails validate constraint mails_broadcast_is_bulk;
comment on column mails.is_broadcast is 'to very many at once: an announcement, what comes daily or weekly, an invitation';
create or replace function queue_mail() returns trigger language plpgsql as $$
begin
  insert into jobs (kind, key, is_bulk, priority)
  values ('mail', new.id::text, new.is_bulk, new.is_bulk::integer + new.is_broadcast::integer);
  return null;
end $$;

-- The priority of the mail that tells of it: an announcement, and what comes daily or weekly, is told after what somebody waits for.
drop index notifications_due;
create index notifications_due on notifications
  ((case when announcement_id is null and due_at <= unmailed_since then 1 else 2 end), due_at, person_id) where due_at is not null;
