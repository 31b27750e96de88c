-- Mails that are written together get their jobs by one statement, and are told to the runners once.
create function queue_mails() returns trigger language plpgsql as $$
begin
  insert into jobs (kind, key, priority)
  select 'mail', id::text, is_bulk::integer + is_broadcast::integer from new_mails order by id;
  return null;
end $$;
drop trigger mails_queue on mails;
create trigger mails_queue after insert on mails referencing new table as new_mails
  for each statement execute function queue_mails();
drop function queue_mail();
comment on column jobs.is_bulk is 'written by nothing: version 0.2 reads it while it is replaced';
