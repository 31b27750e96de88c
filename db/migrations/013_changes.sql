-- What changed is told on channel `changes` as the change is committed, whoever made it: pages that are kept, and readers of
-- an open page, go by it (src/changes/change.ts says what a message holds). Deferred triggers, so that a message tells how
-- things are at the end of the transaction; PostgreSQL sends equal messages of one transaction once.
-- A load of many rows sets handup.bulk to 'on' and says {"all":true} itself at its end.

create function is_told() returns boolean language sql stable as $$
  select coalesce(current_setting('handup.bulk', true), '') <> 'on'
$$;

create function tell_change(message json) returns void language sql as $$
  select pg_notify('changes', case when octet_length(message::text) < 7900 then message::text else '{"all":true}' end)
$$;

-- A question: where it stands in lists, and whose profiles count something of it.
-- TG_ARGV: what changed ('posts', or 'figures' for nothing but votes and views), and the column that has the question's id.
create function tell_question_change() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
  asked constant bigint := (changed ->> tg_argv[1])::bigint;
  message json;
begin
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

create constraint trigger questions_tell_posts after insert or delete on questions deferrable initially deferred
  for each row when (is_told())
  execute function tell_question_change('posts', 'id');
create constraint trigger questions_tell_changed_posts after update on questions deferrable initially deferred
  for each row when (
    (old.title, old.body_html, old.status, old.accepted_answer_id, old.answers_count, old.course_id, old.category_id,
      old.lecture_id, old.author_id, old.active_at, old.edited_at, old.deleted_at)
    is distinct from (new.title, new.body_html, new.status, new.accepted_answer_id, new.answers_count, new.course_id,
      new.category_id, new.lecture_id, new.author_id, new.active_at, new.edited_at, new.deleted_at)
    and is_told())
  execute function tell_question_change('posts', 'id');
create constraint trigger questions_tell_figures after update on questions deferrable initially deferred
  for each row when (
    (old.votes_count, old.views_count) is distinct from (new.votes_count, new.views_count)
    and is_told())
  execute function tell_question_change('figures', 'id');
create constraint trigger question_tags_tell after insert or delete on question_tags deferrable initially deferred
  for each row when (is_told())
  execute function tell_question_change('posts', 'question_id');
create constraint trigger answers_tell after insert or delete on answers deferrable initially deferred
  for each row when (is_told())
  execute function tell_question_change('posts', 'question_id');
create constraint trigger answers_tell_changed after update on answers deferrable initially deferred
  for each row when (
    old.votes_count = new.votes_count and is_told())
  execute function tell_question_change('posts', 'question_id');
create constraint trigger answers_tell_figures after update on answers deferrable initially deferred
  for each row when (
    old.votes_count <> new.votes_count and is_told())
  execute function tell_question_change('figures', 'question_id');
create constraint trigger replies_tell after insert or update or delete on replies deferrable initially deferred
  for each row when (is_told())
  execute function tell_question_change('posts', 'question_id');
create constraint trigger question_follows_tell after insert or delete on question_follows deferrable initially deferred
  for each row when (is_told())
  execute function tell_question_change('figures', 'question_id');

-- A person: 'name' where it is shown, 'asked' for the number of questions beside it, 'access' for what a session goes by.
-- TG_ARGV: what changed, and the column that has the person's id.
create function tell_person_change() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
  person constant bigint := (changed ->> tg_argv[1])::bigint;
begin
  perform tell_change(json_build_object('person', person, 'change', tg_argv[0]));
  if tg_argv[0] = 'name' then
    perform tell_change(json_build_object('course', course_id, 'change', 'course'))
    from course_members where person_id = person and role <> 'learner';
  end if;
  return null;
end $$;

create constraint trigger people_tell_name after update on people deferrable initially deferred
  for each row when (old.display_name <> new.display_name and is_told())
  execute function tell_person_change('name', 'id');
create constraint trigger people_tell_asked after update on people deferrable initially deferred
  for each row when (
    old.questions_count <> new.questions_count and is_told())
  execute function tell_person_change('asked', 'id');
-- Whatever else is changed of a person may be something a session goes by.
create constraint trigger people_tell_access after update on people deferrable initially deferred
  for each row when (
    (old.questions_count, old.answers_count) is not distinct from (new.questions_count, new.answers_count)
    and is_told())
  execute function tell_person_change('access', 'id');
create constraint trigger people_tell_deleted after delete on people deferrable initially deferred
  for each row when (is_told()) execute function tell_person_change('access', 'id');
create constraint trigger sessions_tell_ended after delete on sessions deferrable initially deferred
  for each row when (is_told()) execute function tell_person_change('access', 'person_id');
create constraint trigger course_members_tell_person after insert or update or delete on course_members deferrable initially deferred
  for each row when (is_told())
  execute function tell_person_change('access', 'person_id');

-- A course: 'course' for it, its lectures, categories and staff; 'counts' for its figures.
-- TG_ARGV: what changed, and the column that has the course's id.
create function tell_course_change() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
begin
  perform tell_change(json_build_object('course', (changed ->> tg_argv[1])::bigint, 'change', tg_argv[0]));
  return null;
end $$;

create constraint trigger courses_tell after insert or delete on courses deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'id');
create constraint trigger courses_tell_changed after update on courses deferrable initially deferred
  for each row when (
    (old.questions_count, old.resolved_count, old.unanswered_count)
    is not distinct from (new.questions_count, new.resolved_count, new.unanswered_count) and is_told())
  execute function tell_course_change('course', 'id');
create constraint trigger courses_tell_counts after update on courses deferrable initially deferred
  for each row when (
    (old.questions_count, old.resolved_count, old.unanswered_count)
    is distinct from (new.questions_count, new.resolved_count, new.unanswered_count) and is_told())
  execute function tell_course_change('counts', 'id');
create constraint trigger lectures_tell after insert or delete on lectures deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'course_id');
create constraint trigger lectures_tell_changed after update on lectures deferrable initially deferred
  for each row when (old.questions_count = new.questions_count and is_told())
  execute function tell_course_change('course', 'course_id');
create constraint trigger lectures_tell_counts after update on lectures deferrable initially deferred
  for each row when (old.questions_count <> new.questions_count and is_told())
  execute function tell_course_change('counts', 'course_id');
create constraint trigger categories_tell after insert or update or delete on categories deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'course_id');
create constraint trigger course_members_tell_joined after insert on course_members deferrable initially deferred
  for each row when (new.role <> 'learner' and is_told())
  execute function tell_course_change('course', 'course_id');
create constraint trigger course_members_tell_changed after update on course_members deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'course_id');
create constraint trigger course_members_tell_left after delete on course_members deferrable initially deferred
  for each row when (old.role <> 'learner' and is_told())
  execute function tell_course_change('course', 'course_id');

-- A tag of a course: how many questions carry it.
create function tell_tag_change() returns trigger language plpgsql as $$
begin
  perform tell_change(json_build_object('tag', case tg_op when 'DELETE' then old.tag_id else new.tag_id end));
  return null;
end $$;

create constraint trigger course_tags_tell after insert or update or delete on course_tags deferrable initially deferred
  for each row when (is_told()) execute function tell_tag_change();
