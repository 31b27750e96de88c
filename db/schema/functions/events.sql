-- What programs are told of (src/forum/events): rows of `events`, written in the transaction of what happened. A post is told of while it
-- is shown, to whoever reads its question: with a question that isn't, neither it nor what is below it. Bulk loads write one row themselves.

-- One that says nothing new in its transaction is left out: the post is read as it is then.
create or replace function note_event(told text, course bigint, readers text, question bigint, answer bigint, reply bigint)
returns void language plpgsql as $$
declare
  last constant text := (
    select type from events
    where question_id = question and answer_id is not distinct from answer and reply_id is not distinct from reply
      and number is null and xmin = pg_current_xact_id()::xid
    order by id desc limit 1);
begin
  if last = told or told like '%.edited' and split_part(last, '.', 2) in ('created', 'restored', 'moved') then return; end if;
  insert into events (type, course_id, audience, question_id, answer_id, reply_id) values (told, course, readers, question, answer, reply);
end $$;

-- What became of a post, by whether it was shown and is; null: nothing, or something else. One that was held since it was written, and is
-- dated anew as it is let through, comes for the first time.
create or replace function coming_or_going(was_shown boolean, is_shown boolean, written timestamptz, held timestamptz)
returns text language sql immutable as $$
  select case
    when was_shown and is_shown is not true then 'removed'
    when is_shown and was_shown is null then 'created'
    when is_shown and not was_shown then case when held <= written then 'created' else 'restored' end end
$$;

create or replace function note_event_of_question() returns trigger language plpgsql as $$
declare
  change constant text := coming_or_going(old.is_shown, new.is_shown, old.written_at, old.held_at);
begin
  if change = 'removed' then
    perform note_event('question.removed', old.course_id, old.audience, old.id, null, null)
    where not exists (select from course_deletions where course_id = old.course_id);
  elsif change is not null then
    perform note_event('question.' || change, new.course_id, new.audience, new.id, null, null);
  end if;
  if change is not null or new.is_shown is not true then return null; end if;
  if old.course_id <> new.course_id then
    perform note_event('question.removed', old.course_id, old.audience, old.id, null, null);
    perform note_event('question.moved', new.course_id, new.audience, new.id, null, null);
  elsif old.audience = 'course' and new.audience = 'staff' then
    perform note_event('question.removed', new.course_id, old.audience, new.id, null, null);
    -- To those who still have it.
    perform note_event('question.restored', new.course_id, new.audience, new.id, null, null);
  elsif old.audience <> new.audience then
    perform note_event(case when old.was_open then 'question.restored' else 'question.created' end,
      new.course_id, new.audience, new.id, null, null);
  elsif (old.version, old.title, old.lecture_id, old.category_id, old.is_anonymous, old.body)
    is distinct from (new.version, new.title, new.lecture_id, new.category_id, new.is_anonymous, new.body) then
    perform note_event('question.edited', new.course_id, new.audience, new.id, null, null);
  end if;
  if (old.answers_closed_at, old.closing_reason, old.duplicate_of)
    is distinct from (new.answers_closed_at, new.closing_reason, new.duplicate_of) then
    perform note_event(case when new.answers_closed_at is null and new.duplicate_of is null then 'question.reopened'
      else 'question.closed' end, new.course_id, new.audience, new.id, null, null);
  end if;
  if old.status <> new.status then
    perform note_event(case new.status when 'resolved' then 'question.resolved' else 'question.reopened' end,
      new.course_id, new.audience, new.id, null, null);
  end if;
  if old.accepted_answer_id is distinct from new.accepted_answer_id then
    perform note_event(case id when new.accepted_answer_id then 'answer.accepted' else 'answer.unaccepted' end,
      new.course_id, new.audience, new.id, id, null)
    from (select id from answers where id in (old.accepted_answer_id, new.accepted_answer_id) and is_shown
      order by id = new.accepted_answer_id) as answer;
  end if;
  return null;
end $$;
create trigger questions_note_event after insert or update or delete on questions
  for each row when (is_announced()) execute function note_event_of_question();

-- The API shows the tags of a question among its fields.
create or replace function note_event_of_tags() returns trigger language plpgsql as $$
begin
  perform note_event('question.edited', course_id, audience, id, null, null)
  from questions where id = coalesce(new.question_id, old.question_id) and is_shown;
  return null;
end $$;
create trigger question_tags_note_event after insert or delete or update of tag_id on question_tags
  for each row when (is_announced()) execute function note_event_of_tags();

create or replace function note_event_of_answer() returns trigger language plpgsql as $$
declare
  change constant text := coalesce(coming_or_going(old.is_shown, new.is_shown, old.written_at, old.held_at), case
    when new.is_shown is not true then null
    when old.endorsed_at is null and new.endorsed_at is not null then 'endorsed'
    when (old.version, old.is_anonymous, old.endorsed_at, old.body)
      is distinct from (new.version, new.is_anonymous, new.endorsed_at, new.body) then 'edited' end);
begin
  if change is null then return null; end if;
  perform note_event('answer.' || change, course_id, audience, id, coalesce(new.id, old.id), null)
  from questions where id = coalesce(new.question_id, old.question_id) and is_shown;
  return null;
end $$;
create trigger answers_note_event after insert or update or delete on answers
  for each row when (is_announced()) execute function note_event_of_answer();

create or replace function note_reply(told text, reply replies) returns void language plpgsql as $$
begin
  perform note_event(told, course_id, audience, id, reply.answer_id, reply.id)
  from questions where id = reply.question_id and is_shown
    and (reply.answer_id is null or exists (select from answers where id = reply.answer_id and is_shown));
end $$;

-- One that comes under another answer, as posts are converted, is gone from the list that it was in.
create or replace function note_event_of_reply() returns trigger language plpgsql as $$
declare
  change constant text := coming_or_going(old.is_shown, new.is_shown, old.written_at, old.held_at);
begin
  if change = 'removed' then
    perform note_reply('reply.removed', old);
  elsif change is not null then
    perform note_reply('reply.' || change, new);
  elsif new.is_shown and old.answer_id is distinct from new.answer_id then
    perform note_reply('reply.removed', old);
    perform note_reply('reply.restored', new);
  elsif new.is_shown and (old.version, old.is_anonymous, old.body) is distinct from (new.version, new.is_anonymous, new.body) then
    perform note_reply('reply.edited', new);
  end if;
  return null;
end $$;
create trigger replies_note_event after insert or update or delete on replies
  for each row when (is_announced()) execute function note_event_of_reply();

-- One that corrects another, and one that was changed, are both corrections to whoever read it.
create or replace function note_event_of_announcement() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.version = new.version then return null; end if;
  insert into events (type, course_id, audience, announcement_id)
  values (case when tg_op = 'INSERT' and new.corrects_id is null then 'announcement.posted' else 'announcement.corrected' end,
    new.course_id, 'course', new.id);
  return null;
end $$;
create trigger announcements_note_event after insert or update on announcements
  for each row when (is_announced()) execute function note_event_of_announcement();

-- Wakes who numbers them (src/forum/events/numbering.ts).
create or replace function wake_numbering() returns trigger language plpgsql as $$
begin
  perform invalidate(json_build_object('scopes', array[]::text[], 'job', 'events'));
  return null;
end $$;
create trigger events_wake after insert on events for each statement when (is_announced()) execute function wake_numbering();
