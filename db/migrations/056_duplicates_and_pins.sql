-- Duplicates lead to the question that has the answers, and pinned questions come first in their course's list until a day.

alter table questions
  add column duplicate_by bigint,
  add constraint questions_duplicate_by_fkey foreign key (duplicate_by) references people (id) on delete restrict,
  add constraint questions_duplicate_by_of_duplicate check (duplicate_by is null or duplicate_of is not null);
create index questions_duplicate_by on questions (duplicate_by) where duplicate_by is not null;
comment on column questions.duplicate_by is 'who of the staff said so';

-- on delete set null (054) would leave duplicate_by behind.
alter table questions drop constraint questions_duplicate_of_fkey;
alter table questions add constraint questions_duplicate_of_fkey
  foreign key (duplicate_of) references questions (id) on delete restrict;

-- A question that its readers cannot read any more, deleted or private, answers no other.
create function release_duplicates() returns trigger language plpgsql as $$
begin
  update questions set duplicate_of = null, duplicate_by = null where duplicate_of = old.id;
  return case tg_op when 'DELETE' then old else new end;
end $$;

create trigger questions_release_duplicates after update on questions
  for each row when (old.is_listed and not new.is_listed) execute function release_duplicates();
create trigger questions_release_duplicates_of_deleted before delete on questions
  for each row execute function release_duplicates();

create table pins (
  question_id bigint not null,
  course_id bigint not null,
  until timestamptz not null,
  pinned_by bigint not null,
  constraint pins_pkey primary key (question_id),
  constraint pins_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint pins_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint pins_pinned_by_fkey foreign key (pinned_by) references people (id) on delete restrict
);
create index pins_course on pins (course_id, until);
create index pins_pinned_by on pins (pinned_by);

create trigger pins_tell after insert or update or delete on pins
  for each row when (is_told()) execute function tell_row_of_question('lists');
