-- Courses, their categories and lectures.
create table courses (
  id bigint generated always as identity primary key,
  slug text not null,
  title text not null,
  field text not null default '',
  description text not null default '',
  language text not null default 'en',
  time_zone text not null default 'UTC',
  is_public boolean not null default true,
  questions_count integer not null default 0,
  resolved_count integer not null default 0,
  unanswered_count integer not null default 0,
  created_at timestamptz not null default now(),
  constraint courses_slug_key unique (slug),
  constraint courses_slug_form check (slug = lower(slug) and slug !~ '[/?#%[:space:]]' and char_length(slug) between 1 and 80),
  constraint courses_title_length check (char_length(title) between 1 and 150),
  constraint courses_field_length check (char_length(field) <= 50),
  constraint courses_description_length check (char_length(description) <= 2000),
  constraint courses_language_known check (language in ('en', 'ko')),
  constraint courses_questions_count_positive check (questions_count >= 0),
  constraint courses_resolved_count_bounds check (resolved_count between 0 and questions_count),
  constraint courses_unanswered_count_bounds check (unanswered_count between 0 and questions_count)
);
comment on column courses.field is 'the sub-field shown with each question, e.g. Backend';

create table categories (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  slug text not null,
  name text not null,
  position integer not null default 0,
  constraint categories_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint categories_slug_key unique (course_id, slug),
  constraint categories_course_key unique (course_id, id),
  constraint categories_name_length check (char_length(name) between 1 and 50)
);
comment on column categories.slug is 'questions-and-answers is the default of each course; its name is shown in the reader''s language';

create table lectures (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  position integer not null,
  title text not null,
  questions_count integer not null default 0,
  unresolved_count integer not null default 0,
  constraint lectures_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint lectures_position_key unique (course_id, position),
  constraint lectures_course_key unique (course_id, id),
  constraint lectures_position_positive check (position > 0),
  constraint lectures_title_length check (char_length(title) between 1 and 150),
  constraint lectures_questions_count_positive check (questions_count >= 0),
  constraint lectures_unresolved_count_positive check (unresolved_count >= 0)
);
create index lectures_most_asked on lectures (course_id, questions_count desc, position);
