-- A copy of a course that one of its instructors asked for, as a file beside the pictures. Course and person go without their rows: the
-- sweep then knows which file has to go.
create table course_exports (
  id bigint generated always as identity primary key,
  course_id bigint references courses (id) on delete set null,
  asked_by bigint references people (id) on delete set null,
  is_pseudonymous boolean not null,
  state text not null default 'waiting',
  file text not null unique,
  bytes bigint,
  asked_at timestamptz(3) not null default now(),
  made_at timestamptz(3),
  constraint course_exports_file_form check (file ~ '^[0-9a-f]{32}\.tar\.zst$'),
  constraint course_exports_made check ((state = 'made') = (made_at is not null) and (made_at is null) = (bytes is null)),
  constraint course_exports_state_known check (state in ('waiting', 'made', 'failed'))
);
comment on table course_exports is 'copies of courses that instructors asked for: each is for who asked, for a day';
comment on column course_exports.file is 'its name where the pictures are';
comment on column course_exports.bytes is 'the size of the file; null: it is not made';
create unique index course_exports_waiting on course_exports (course_id, asked_by) where state = 'waiting';
create index course_exports_course on course_exports (course_id, asked_by, asked_at);
create index course_exports_person on course_exports (asked_by);
create index course_exports_age on course_exports (asked_at);
