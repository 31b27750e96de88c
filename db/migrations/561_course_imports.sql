-- A file that an instructor brings into a course: it is tried, then imported with what they chose. Course and person go without its row:
-- the sweep then knows which file has to go.
create table course_imports (
  id bigint generated always as identity primary key,
  course_id bigint references courses (id) on delete set null,
  brought_by bigint references people (id) on delete set null,
  state text not null default 'uploading',
  file text unique,
  file_name text not null,
  source text,
  anonymous text,
  groups text,
  with_pictures boolean not null default false,
  told jsonb,
  problem text,
  step smallint not null default 0,
  done integer not null default 0,
  total integer not null default 0,
  run_id bigint references import_runs (id) on delete set null,
  brought_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  constraint course_imports_anonymous_known check (anonymous in ('keep', 'drop')),
  constraint course_imports_chosen check (state not in ('importing', 'shown') or num_nulls(anonymous, groups, told, source) = 0),
  constraint course_imports_ended check (
    (ended_at is null) = (state in ('uploading', 'trying', 'tried', 'importing'))),
  constraint course_imports_failed check ((state = 'failed') = (problem is not null)),
  constraint course_imports_file_form check (file ~ '^[0-9a-f]{32}\.upload$'),
  constraint course_imports_file_there check (file is not null or ended_at is not null),
  constraint course_imports_groups_known check (groups in ('hold', 'show')),
  constraint course_imports_name_length check (char_length(file_name) between 1 and 200),
  constraint course_imports_problem_length check (char_length(problem) between 1 and 2000),
  constraint course_imports_progress check (step >= 0 and done between 0 and total),
  constraint course_imports_source_form check (source ~ '^[a-z]{1,32}$'),
  constraint course_imports_state_known check (state in
    ('uploading', 'trying', 'tried', 'importing', 'shown', 'failed', 'discarded'))
);
comment on table course_imports is 'files that instructors bring into courses, and what became of them';
comment on column course_imports.file is 'its name where the pictures are; null: it is removed';
comment on column course_imports.file_name is 'as their browser calls it';
comment on column course_imports.source is 'what wrote it; null: not told yet';
comment on column course_imports.anonymous is 'who knows who wrote anonymously, where the file doesn’t say';
comment on column course_imports.groups is 'what becomes of topics that perhaps only a group read';
comment on column course_imports.with_pictures is 'pictures that texts show from other sites are fetched';
comment on column course_imports.told is 'what would come of it, and then what came';
comment on column course_imports.problem is 'why it failed';
comment on column course_imports.step is 'which step of its work it is in; 0: none yet';
comment on column course_imports.done is 'how much of the step is done, of total';
create unique index course_imports_under_way on course_imports (course_id)
  where state in ('uploading', 'trying', 'tried', 'importing');
create index course_imports_course on course_imports (course_id, id);
create index course_imports_person on course_imports (brought_by);
create index course_imports_run on course_imports (run_id) where run_id is not null;
create index course_imports_age on course_imports (brought_at);
create index course_imports_left on course_imports (id) where file is not null and ended_at is not null;
