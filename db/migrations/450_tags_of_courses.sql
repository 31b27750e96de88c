-- What a course says of a tag, the words that mean it there, and what its instructors renamed in the last hour.
alter table course_tags add column description text not null default '';
alter table course_tags add constraint course_tags_description_length check (char_length(description) <= 200) not valid;

create table tag_aliases (
  course_id bigint,
  name text,
  tag_id bigint not null,
  primary key (course_id, name),
  constraint tag_aliases_tag_fkey foreign key (course_id, tag_id) references course_tags (course_id, tag_id) on delete cascade,
  constraint tag_aliases_name_length check (char_length(name) between 1 and 32)
);
create index tag_aliases_tag on tag_aliases (course_id, tag_id);
comment on table tag_aliases is 'old names and synonyms of tags of a course: who types one there gets the tag';

create table tag_changes (
  id bigint generated always as identity primary key,
  course_id bigint not null references courses (id) on delete cascade,
  from_id bigint not null references tags (id) on delete cascade,
  to_id bigint not null references tags (id) on delete cascade,
  description text not null,
  from_aliases text[] not null,
  to_aliases text[] not null,
  changed_at timestamptz(3) not null default now(),
  undone_at timestamptz(3)
);
create index tag_changes_course on tag_changes (course_id, id);
create index tag_changes_from on tag_changes (from_id);
create index tag_changes_to on tag_changes (to_id);
create index tag_changes_changed_at on tag_changes (changed_at);
comment on table tag_changes is 'how instructors renamed, merged or described a tag of their course, for an hour: until then it can be undone';
comment on column tag_changes.to_id is 'what the tag is called now; the same as from_id: it was only described';
comment on column tag_changes.description is 'of to_id, before; the other columns as well';

create table tag_moves (
  change_id bigint references tag_changes (id) on delete cascade,
  question_id bigint references questions (id) on delete cascade,
  position integer not null,
  other integer,
  primary key (change_id, question_id)
);
create index tag_moves_question on tag_moves (question_id);
comment on column tag_moves.position is 'of the tag that went';
comment on column tag_moves.other is 'of the tag that stays, before; null: the question did not have it';
