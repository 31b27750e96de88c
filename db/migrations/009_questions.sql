-- A post keeps its Markdown (body) and the HTML rendered from it (body_html) with the version of the renderer.
-- Deleting hides: the row stays and deleted_at is set. Who deleted a post decides who may restore it: staff always, its
-- author for an hour after deleting it (src/rights/table.ts).
-- version counts edits, so that two editors notice each other.
-- Times of posts have milliseconds, because a page's cursor carries them exactly.
-- is_imported: an import keeps posts that are longer than a form accepts.
-- imported_votes_count: the score of an import, whose voters are unknown; votes_count = that + rows in *_votes.
create table questions (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  category_id bigint not null,
  lecture_id bigint,
  author_id bigint not null,
  title text not null,
  body text not null,
  body_html text not null,
  renderer_version integer not null,
  status text not null default 'unresolved',
  accepted_answer_id bigint,
  answers_count integer not null default 0,
  state smallint not null generated always as (
    case status when 'resolved' then 2 else 0 end + case answers_count when 0 then 1 else 0 end
  ) stored,
  votes_count integer not null default 0,
  imported_votes_count integer not null default 0,
  views_count integer not null default 0,
  written_at timestamptz(3) not null default now(),
  active_at timestamptz(3) not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  deleted_by bigint,
  version integer not null default 1,
  is_imported boolean not null default false,
  constraint questions_course_fkey foreign key (course_id) references courses (id) on delete restrict,
  constraint questions_category_fkey foreign key (course_id, category_id) references categories (course_id, id) on delete restrict,
  constraint questions_lecture_fkey foreign key (course_id, lecture_id) references lectures (course_id, id) on delete set null (lecture_id),
  constraint questions_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint questions_deleted_by_fkey foreign key (deleted_by) references people (id) on delete set null,
  constraint questions_title_length check (char_length(title) between 3 and 150),
  constraint questions_body_length check (char_length(body) between 1 and 30000 or is_imported and body <> ''),
  constraint questions_status_known check (status in ('unresolved', 'resolved')),
  constraint questions_accepted_is_resolved check (accepted_answer_id is null or status = 'resolved'),
  constraint questions_answers_count_positive check (answers_count >= 0),
  constraint questions_views_count_positive check (views_count >= 0),
  constraint questions_version_positive check (version > 0),
  constraint questions_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null)
);
comment on column questions.state is '0 unresolved, 1 unresolved and unanswered, 2 resolved, 3 resolved and unanswered';
comment on column questions.deleted_by is 'who deleted the post; null: it is not deleted, or the account is gone';

-- Lists: each scope (all, a course, a lecture, an author, a tag) has an index for each sort, led by the question's state.
-- A list reads the first rows of at most four states and merges them (src/forum/questions/list.ts), so that every status of
-- every scope takes as long among a million questions as among a thousand, also where one status is rare or all of it is old.
create index questions_state_written on questions (state, written_at, id) where deleted_at is null;
create index questions_state_active on questions (state, active_at, id) where deleted_at is null;
create index questions_state_votes on questions (state, votes_count, id) where deleted_at is null;
create index questions_state_views on questions (state, views_count, id) where deleted_at is null;
create index questions_course_state_written on questions (course_id, state, written_at, id) where deleted_at is null;
create index questions_course_state_active on questions (course_id, state, active_at, id) where deleted_at is null;
create index questions_course_state_votes on questions (course_id, state, votes_count, id) where deleted_at is null;
create index questions_course_state_views on questions (course_id, state, views_count, id) where deleted_at is null;
create index questions_lecture_written on questions (lecture_id, state, written_at, id) where deleted_at is null;
create index questions_lecture_active on questions (lecture_id, state, active_at, id) where deleted_at is null;
create index questions_lecture_votes on questions (lecture_id, state, votes_count, id) where deleted_at is null;
create index questions_lecture_views on questions (lecture_id, state, views_count, id) where deleted_at is null;
create index questions_author_written on questions (author_id, state, written_at, id) where deleted_at is null;
create index questions_author_active on questions (author_id, state, active_at, id) where deleted_at is null;
create index questions_author_votes on questions (author_id, state, votes_count, id) where deleted_at is null;
create index questions_author_views on questions (author_id, state, views_count, id) where deleted_at is null;
-- The newest of any state: feeds, the aside of a course.
create index questions_written on questions (written_at, id) where deleted_at is null;
create index questions_course_written on questions (course_id, written_at, id) where deleted_at is null;

create index questions_category on questions (course_id, category_id);
create index questions_lecture on questions (course_id, lecture_id);
create index questions_deleted_by on questions (deleted_by) where deleted_by is not null;
create index questions_renderer_version on questions (renderer_version);
