-- Answers that come together are written in one transaction, which tells of each one's question twice, first as of the
-- answers and then as of the questions. So not only what was told last is remembered to the end of the transaction but all
-- of it, as far as some hundred questions go.
create or replace function tell_question_change() returns trigger language plpgsql as $$
declare
  asked bigint;
  told constant text := coalesce(current_setting('handup.told', true), '');
  telling text;
  message json;
begin
  if tg_argv[1] = 'id' then
    asked := case tg_op when 'DELETE' then old.id else new.id end;
  else
    asked := case tg_op when 'DELETE' then old.question_id else new.question_id end;
  end if;
  telling := tg_argv[0] || asked || ' ';
  if strpos(told, telling) > 0 then return null; end if;
  perform set_config('handup.told', right(told || telling, 4000), true);
  select json_build_object(
    'question', q.id, 'change', tg_argv[0], 'course', q.course_id, 'isPublic', course.is_public, 'lecture', q.lecture_id,
    'author', q.author_id, 'state', q.state, 'isDeleted', q.deleted_at is not null,
    'writtenAt', (extract(epoch from q.written_at) * 1000)::bigint,
    'activeAt', (extract(epoch from q.active_at) * 1000)::bigint,
    'votes', q.votes_count, 'views', q.views_count, 'answers', q.answers_count,
    'tags', (select coalesce(json_agg(tag_id), '[]') from question_tags where question_id = q.id),
    'writers', case when tg_argv[0] = 'figures' then '[]'::json else (
      select json_agg(author_id) from (
        select q.author_id union select answers.author_id from answers where answers.question_id = q.id) as writer) end)
  into message
  from questions as q join courses as course on course.id = q.course_id where q.id = asked;
  perform tell_change(coalesce(message, json_build_object('all', true)));
  return null;
end $$;
