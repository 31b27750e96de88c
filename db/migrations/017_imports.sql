-- Which post came from which row of a dump: a repeated import adds nothing twice.
create table imported_people (
  course_id bigint not null,
  source_id bigint not null,
  person_id bigint not null,
  constraint imported_people_pkey primary key (course_id, source_id),
  constraint imported_people_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint imported_people_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index imported_people_person on imported_people (person_id);

create table imported_posts (
  course_id bigint not null,
  kind text not null,
  source_id bigint not null,
  post_id bigint not null,
  constraint imported_posts_pkey primary key (course_id, kind, source_id),
  constraint imported_posts_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint imported_posts_kind_known check (kind in ('question', 'answer', 'reply'))
);
