-- What staff answer, and what they write for all.

create table question_desk (
  question_id bigint primary key,
  course_id bigint not null,
  lecture_id bigint,
  waiting_since timestamptz(3),
  classmates_since timestamptz(3),
  first_staff_at timestamptz(3),
  told_due_since timestamptz(3),
  assignee_id bigint,
  assigned_by bigint references people (id) on delete restrict,
  assigned_at timestamptz(3),
  snoozed_until timestamptz(3),
  asked_at timestamptz(3),
  asker_since timestamptz(3),
  replied_since timestamptz(3),
  done_at timestamptz(3),
  done_by bigint references people (id) on delete restrict,
  reminded_since timestamptz(3),
  told_due_on date,
  constraint question_desk_assignee_fkey foreign key (assignee_id) references people (id) on delete restrict,
  constraint question_desk_lecture_fkey foreign key (course_id, lecture_id) references lectures (course_id, id) on delete set null
    (lecture_id),
  constraint question_desk_question_course_fkey foreign key (question_id, course_id) references questions (id, course_id) on update
    cascade on delete cascade,
  constraint question_desk_assigned_whole check ((assignee_id is null) = (assigned_at is null) and (assignee_id is null) =
    (assigned_by is null)),
  constraint question_desk_done_whole check ((done_at is null) = (done_by is null)),
  constraint question_desk_one_turn check (num_nonnulls(waiting_since, classmates_since, asker_since) <= 1)
);
comment on column question_desk.course_id is 'this and lecture_id: as of the question';
comment on column question_desk.waiting_since is 'since when it waits for staff; null: it does not';
comment on column question_desk.classmates_since is 'the same where classmates have answered, but no staff';
comment on column question_desk.first_staff_at is
  'the first answer, reply or endorsement of staff here, not in the forum that it was imported from';
comment on column question_desk.told_due_since is
  'the waiting_since that staff were told is past the course''s promise: due_questions';
comment on column question_desk.asked_at is 'the last word of the asker, or the last @staff of a classmate';
comment on column question_desk.asker_since is 'since when staff wait for the asker, whom they asked back; null: they do not';
comment on column question_desk.replied_since is 'the first word after the end that staff have not answered; null: none';
comment on column question_desk.done_at is 'when staff said that no answer is needed: a word of theirs that answers nothing';
comment on column question_desk.reminded_since is 'the asker_since that the asker was reminded of';
comment on column question_desk.told_due_on is 'the day of told_due_since, in the course''s time zone';
create index question_desk_asker on question_desk (course_id, asker_since, question_id) where asker_since is not null;
create index question_desk_assigned_by on question_desk (assigned_by) where assigned_by is not null;
create index question_desk_assignee on question_desk (assignee_id, course_id, assigned_at, question_id) where assignee_id is not
  null;
create index question_desk_classmates on question_desk (course_id, classmates_since, question_id) where classmates_since is not
  null;
create index question_desk_done_by on question_desk (done_by) where done_by is not null;
create index question_desk_lecture on question_desk (lecture_id) where lecture_id is not null;
create index question_desk_lecture_asker on question_desk (lecture_id, asker_since, question_id) where asker_since is not null;
-- A lecture's part of the desk, for each view that may hold many.
create index question_desk_lecture_classmates on question_desk (lecture_id, classmates_since, question_id) where classmates_since is
  not null;
create index question_desk_lecture_replied on question_desk (lecture_id, replied_since, question_id) where replied_since is not
  null;
create index question_desk_lecture_snoozed on question_desk (lecture_id, snoozed_until, question_id) where snoozed_until is not
  null;
create index question_desk_lecture_waiting on question_desk (lecture_id, waiting_since, question_id) where waiting_since is not
  null;
create index question_desk_replied on question_desk (course_id, replied_since, question_id) where replied_since is not null;
create index question_desk_snoozed on question_desk (course_id, snoozed_until, question_id) where snoozed_until is not null;
create index question_desk_told on question_desk (course_id, told_due_on) where told_due_on is not null;
-- A list per view, longest first: of a course, and of a lecture.
create index question_desk_waiting on question_desk (course_id, waiting_since, question_id) where waiting_since is not null;

-- Who of the staff has a question open on the desk to answer it, so that others see it: until they leave or post, or for minutes.
-- Nothing is refused because of it: question_desk.assignee_id is who has taken a question.
create table desk_claims (
  question_id bigint primary key references questions (id) on delete cascade,
  person_id bigint not null references people (id) on delete cascade,
  claimed_until timestamptz not null
);
comment on column desk_claims.claimed_until is 'renewed while the question is open; past it, the row says nothing';
create index desk_claims_person on desk_claims (person_id);

create table saved_answers (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  title text not null,
  body text not null,
  version integer not null default 1,
  saved_at timestamptz not null default now(),
  constraint saved_answers_title_key unique (course_id, title),
  constraint saved_answers_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint saved_answers_body_length check (char_length(body) between 1 and 30000),
  constraint saved_answers_title_length check (char_length(title) between 1 and 100),
  constraint saved_answers_version_positive check (version > 0)
);
comment on table saved_answers is 'of a course: its staff share them, and they are nobody''s own';

-- When the weekly mail to somebody who is staff of a course comes next.
create table staff_weeks (
  person_id bigint primary key,
  next_at timestamptz not null,
  constraint staff_weeks_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index staff_weeks_next on staff_weeks (next_at);

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
  version integer not null default 1,
  constraint faq_entries_question_key unique (course_id, question_id),
  constraint faq_entries_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint faq_entries_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint faq_entries_body_length check (char_length(body) between 1 and 30000),
  constraint faq_entries_one_kind check ((question_id is null) = (title is not null) and (title is null) = (body is null) and (title
    is null) = (terms is null)),
  constraint faq_entries_position_bounds check ("position" >= 1 and "position" <= 1000000),
  constraint faq_entries_state_known check (state in ('proposed', 'shown', 'declined')),
  constraint faq_entries_title_length check (char_length(title) between 3 and 150),
  constraint faq_entries_version_check check (version > 0)
);
create index faq_entries_listed on faq_entries (course_id, "position", id);
create index faq_entries_question on faq_entries (question_id) where question_id is not null;
create index faq_entries_terms on faq_entries using gin (terms) with (fastupdate = off);

-- What staff tell a whole course. No replies; an edit is told to nobody again, a correction is an announcement of its own.
create table announcements (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  author_id bigint not null,
  title text not null,
  body text not null,
  terms tsvector not null,
  corrects_id bigint,
  version integer not null default 1,
  published_at timestamptz(3) not null default now(),
  edited_at timestamptz(3),
  constraint announcements_course_key unique (course_id, id),
  constraint announcements_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint announcements_corrects_fkey foreign key (course_id, corrects_id) references announcements (course_id, id) on delete set
    null (corrects_id),
  constraint announcements_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint announcements_body_length check (char_length(body) between 1 and 30000),
  constraint announcements_corrects_another check (corrects_id <> id),
  constraint announcements_title_length check (char_length(title) between 3 and 150)
);
comment on column announcements.terms is 'what it is found by: the same terms as search_documents.terms';
create index announcements_author on announcements (author_id);
create index announcements_corrects on announcements (corrects_id) where corrects_id is not null;
create index announcements_published on announcements (course_id, published_at, id);
create index announcements_terms on announcements using gin (terms) with (fastupdate = off);
alter table post_images add constraint post_images_announcement_fkey foreign key (announcement_id) references announcements (id) on
  delete cascade;
