-- How far somebody has read a whole course: whatever was posted there until then counts as read, opened or not.
create table course_reads (
  course_id bigint not null,
  person_id bigint not null,
  read_up_to timestamptz(3) not null,
  constraint course_reads_pkey primary key (person_id, course_id),
  constraint course_reads_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_reads_person_fkey foreign key (person_id) references people (id) on delete cascade
);
comment on column course_reads.read_up_to is 'question_reads of single questions count where they are later. It only ever grows';
create index course_reads_course on course_reads (course_id);
create trigger course_reads_tell_insert after insert on course_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger course_reads_tell_update after update on course_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();

-- Reads of single questions older than their term are folded into the row of their course: src/forum/telling/course-reads.ts.
create index question_reads_old on question_reads (read_at);
