-- What the lectures of a course were before the last change of them, so that whoever made it can undo it. One row a course:
-- a later change can't be undone past an earlier one.
create table lecture_undos (
  course_id bigint primary key references courses (id) on delete cascade,
  change bigint not null default 1,
  before jsonb not null,
  after jsonb not null,
  moved_from bigint,
  moved_to bigint,
  moved bigint[] not null default '{}',
  constraint lecture_undos_lists check (jsonb_typeof(before) = 'array' and jsonb_typeof(after) = 'array'),
  constraint lecture_undos_moved check (moved_from is not null or (moved_to is null and moved = '{}'))
);
comment on column lecture_undos.change is 'counts the changes: an old page does not undo a newer one';
comment on column lecture_undos.before is '[{id, position, title}, …] by position';
comment on column lecture_undos.after is 'the same after the change: undone only while the lectures are still these';
comment on column lecture_undos.moved is 'questions of lecture moved_from, which was deleted, that went to moved_to; null: to none';
