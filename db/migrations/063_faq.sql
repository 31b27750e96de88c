-- What is asked again and again: a question of the course, or a text of its own. Assistants propose, instructors show or decline; what was
-- declined stays, so that nobody proposes it again.
create table faq_entries (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  question_id bigint,
  title text,
  body text,
  terms tsvector,
  position integer not null,
  state text not null default 'proposed',
  changed_at timestamptz(3) not null default now(),
  constraint faq_entries_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint faq_entries_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint faq_entries_question_key unique (course_id, question_id),
  constraint faq_entries_state_known check (state in ('proposed', 'shown', 'declined')),
  constraint faq_entries_position_bounds check (position between 1 and 1000000),
  constraint faq_entries_one_kind check (
    (question_id is null) = (title is not null) and (title is null) = (body is null) and (title is null) = (terms is null)),
  constraint faq_entries_title_length check (char_length(title) between 3 and 150),
  constraint faq_entries_body_length check (char_length(body) between 1 and 30000)
);
create index faq_entries_listed on faq_entries (course_id, position, id);
create index faq_entries_question on faq_entries (question_id) where question_id is not null;
create index faq_entries_terms on faq_entries using gin (terms) with (fastupdate = off);

create trigger faq_entries_tell after insert or update or delete on faq_entries
  for each row when (is_told()) execute function tell_course_change('counts', 'course_id');
