-- A course that an admin deleted: it is private, archived and without members at once, and can be restored until it is purged.
-- What it was then is kept here.
create table course_deletions (
  course_id bigint primary key,
  deleted_at timestamptz not null default now(),
  was_public boolean not null,
  was_archived_at timestamptz,
  members jsonb not null,
  pending jsonb not null,
  constraint course_deletions_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_deletions_members_list check (jsonb_typeof(members) = 'array'),
  constraint course_deletions_pending_list check (jsonb_typeof(pending) = 'array')
);
create index course_deletions_deleted on course_deletions (deleted_at);
