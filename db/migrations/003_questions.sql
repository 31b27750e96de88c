-- A post keeps its Markdown (body) and the HTML made of it (body_html) with the version of the renderer that made it.
-- Deleting hides: the row stays, deleted_at is set. version counts edits, so that two editors notice each other.
-- Times of posts have milliseconds, as a page's cursor carries them exactly.
-- is_imported: an import keeps posts whole that are longer than a form would take.
-- imported_votes_count: the score an import brought without the voters; votes_count = that + rows in *_votes.
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
  votes_count integer not null default 0,
  imported_votes_count integer not null default 0,
  views_count integer not null default 0,
  written_at timestamptz(3) not null default now(),
  active_at timestamptz(3) not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  version integer not null default 1,
  is_imported boolean not null default false,
  constraint questions_course_fkey foreign key (course_id) references courses (id) on delete restrict,
  constraint questions_category_fkey foreign key (course_id, category_id) references categories (course_id, id) on delete restrict,
  constraint questions_lecture_fkey foreign key (course_id, lecture_id) references lectures (course_id, id) on delete set null (lecture_id),
  constraint questions_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint questions_title_length check (char_length(title) between 3 and 150),
  constraint questions_body_length check (char_length(body) between 1 and 30000 or is_imported and body <> ''),
  constraint questions_status_known check (status in ('unresolved', 'resolved')),
  constraint questions_accepted_is_resolved check (accepted_answer_id is null or status = 'resolved'),
  constraint questions_answers_count_positive check (answers_count >= 0),
  constraint questions_views_count_positive check (views_count >= 0),
  constraint questions_version_positive check (version > 0)
);

-- One index per sort, for one course and for all; the filters on status read along it, since no status is rare.
create index questions_written on questions (written_at, id) where deleted_at is null;
create index questions_active on questions (active_at, id) where deleted_at is null;
create index questions_votes on questions (votes_count, id) where deleted_at is null;
create index questions_views on questions (views_count, id) where deleted_at is null;
create index questions_course_written on questions (course_id, written_at, id) where deleted_at is null;
create index questions_course_active on questions (course_id, active_at, id) where deleted_at is null;
create index questions_course_votes on questions (course_id, votes_count, id) where deleted_at is null;
create index questions_course_views on questions (course_id, views_count, id) where deleted_at is null;
create index questions_unanswered on questions (written_at, id) where deleted_at is null and answers_count = 0;
create index questions_lecture_written on questions (lecture_id, written_at, id) where deleted_at is null;
create index questions_author_written on questions (author_id, written_at, id) where deleted_at is null;
create index questions_category on questions (course_id, category_id);
create index questions_lecture on questions (course_id, lecture_id);
create index questions_renderer_version on questions (renderer_version);

create table answers (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  author_id bigint not null,
  body text not null,
  body_html text not null,
  renderer_version integer not null,
  votes_count integer not null default 0,
  imported_votes_count integer not null default 0,
  written_at timestamptz(3) not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  version integer not null default 1,
  is_imported boolean not null default false,
  constraint answers_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint answers_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint answers_question_key unique (question_id, id),
  constraint answers_body_length check (char_length(body) between 1 and 30000 or is_imported and body <> ''),
  constraint answers_version_positive check (version > 0)
);
create index answers_author_written on answers (author_id, written_at, id) where deleted_at is null;
create index answers_renderer_version on answers (renderer_version);

alter table questions add constraint questions_accepted_answer_fkey
  foreign key (id, accepted_answer_id) references answers (question_id, id) on delete set null (accepted_answer_id);
create index questions_accepted_answer on questions (accepted_answer_id) where accepted_answer_id is not null;

create table replies (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  answer_id bigint,
  author_id bigint not null,
  body text not null,
  body_html text not null,
  renderer_version integer not null,
  written_at timestamptz(3) not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  version integer not null default 1,
  is_imported boolean not null default false,
  constraint replies_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint replies_answer_fkey foreign key (question_id, answer_id) references answers (question_id, id) on delete cascade,
  constraint replies_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint replies_body_length check (char_length(body) between 1 and 5000 or is_imported and body <> ''),
  constraint replies_version_positive check (version > 0)
);
comment on column replies.answer_id is 'null: under the question itself, asking back for a detail';
create index replies_question on replies (question_id, written_at, id);
create index replies_answer on replies (question_id, answer_id);
create index replies_author on replies (author_id);
create index replies_renderer_version on replies (renderer_version);
