-- Pages in Markdown that admins write (rules, privacy, contact; in each language) and the rules of a course, in one language. An empty
-- text is a page that is not linked.
create table policies (
  id bigint generated always as identity primary key,
  course_id bigint,
  name text not null,
  language text not null,
  body text not null,
  version integer not null default 1,
  changed_at timestamptz not null default now(),
  constraint policies_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint policies_name_known check (name in ('rules', 'privacy', 'contact')),
  constraint policies_course_rules check (course_id is null or name = 'rules'),
  constraint policies_language_known check (language in ('en', 'ko')),
  constraint policies_body_length check (char_length(body) <= 30000),
  constraint policies_version_positive check (version > 0)
);
comment on column policies.course_id is 'null: a page of the forum';
create unique index policies_of_course on policies (course_id) where course_id is not null;
create unique index policies_of_forum on policies (name, language) where course_id is null;

-- The footer of every page links to those that are not empty.
create constraint trigger policies_tell after insert or update or delete on policies deferrable initially deferred
  for each row when (is_told()) execute function tell_everything();
