-- A tag is one word for the whole forum; how often it is used is counted per course, because not everybody sees each course.
create table tags (
  id bigint generated always as identity primary key,
  name text not null,
  constraint tags_name_key unique (name),
  constraint tags_name_length check (char_length(name) between 1 and 32)
);

create table course_tags (
  course_id bigint not null,
  tag_id bigint not null,
  questions_count integer not null default 0,
  constraint course_tags_pkey primary key (course_id, tag_id),
  constraint course_tags_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_tags_tag_fkey foreign key (tag_id) references tags (id) on delete cascade,
  constraint course_tags_questions_count_positive check (questions_count >= 0)
);
create index course_tags_tag on course_tags (tag_id);
create index course_tags_most_used on course_tags (course_id, questions_count desc, tag_id);

create table question_tags (
  question_id bigint not null,
  position integer not null,
  tag_id bigint not null,
  constraint question_tags_pkey primary key (question_id, tag_id),
  constraint question_tags_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_tags_tag_fkey foreign key (tag_id) references tags (id) on delete restrict,
  constraint question_tags_position_positive check (position > 0)
);
comment on column question_tags.position is 'the order in which the asker gave them';
create index question_tags_tag on question_tags (tag_id, question_id);
