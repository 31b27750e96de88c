-- Which notification counts more, when an email is due, and waking those who send.

create or replace function notice_rank(reason text) returns integer language sql immutable as $$
  select array_position(array['mention', 'answered', 'accepted', 'endorsed', 'released', 'reply', 'clarification', 'promise', 'held', 'moved',
    'converted', 'flag', 'announcement', 'followed', 'question'], reason)
$$;

-- When a mail may tell of an event: at once, or at eight in the morning of the next day or Monday, where the person is.
create or replace function next_mail_at(rhythm text, zone text, at timestamptz) returns timestamptz language plpgsql stable as $$
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

-- Mails that are written together get their jobs by one statement, and the runners are woken once.
create or replace function queue_mails() returns trigger language plpgsql as $$
begin
  insert into jobs (kind, key, priority)
  select 'mail', id::text, is_bulk::integer + is_broadcast::integer from new_mails order by id;
  return null;
end $$;
create trigger mails_queue after insert on mails referencing new table as new_mails
  for each statement execute function queue_mails();

-- Wakes the runners (src/web/change-feed). No page depends on it.
create or replace function wake_runners() returns trigger language plpgsql as $$
begin
  perform invalidate(json_build_object('scopes', array[]::text[], 'job', kind)) from (select distinct kind from new_rows) as added;
  return null;
end $$;
create trigger jobs_wake after insert on jobs referencing new table as new_rows
  for each statement when (is_announced()) execute function wake_runners();
