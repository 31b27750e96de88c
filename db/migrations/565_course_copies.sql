-- A copy of a course for its next run can bring questions along: a job reads them in, as a run of an import, after the course is made.
create table course_copies (
  course_id bigint primary key references courses (id) on delete cascade,
  from_course_id bigint references courses (id) on delete set null,
  is_all boolean not null,
  lecture_ids bigint[] not null default '{}',
  tag_ids bigint[] not null default '{}',
  has_names boolean not null,
  state text not null default 'waiting',
  to_copy integer,
  asked_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  constraint course_copies_another check (course_id <> from_course_id),
  constraint course_copies_chosen check (is_all = (cardinality(lecture_ids) + cardinality(tag_ids) = 0)),
  constraint course_copies_ended check ((state = 'waiting') = (ended_at is null)),
  constraint course_copies_to_copy_positive check (to_copy >= 0),
  constraint course_copies_state_known check (state in ('waiting', 'copied', 'failed'))
);
comment on table course_copies is 'which questions of another course a new one gets';
comment on column course_copies.from_course_id is 'null: it was deleted meanwhile';
comment on column course_copies.is_all is 'of all lectures and tags';
comment on column course_copies.has_names is 'learners are named';
comment on column course_copies.to_copy is 'how many; null: they are not counted yet';
create index course_copies_from on course_copies (from_course_id) where from_course_id is not null;

alter table import_runs add column copied_from text;
alter table import_runs add constraint import_runs_copied_from_length check (char_length(copied_from) between 1 and 150);
comment on column import_runs.copied_from is 'the title of the course of this forum that it copies; null: it comes from elsewhere';
