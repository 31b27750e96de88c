-- What was reported about a post or a person, or what staff took up themselves; what they decided, and what the person it is about
-- says to that. Evidence outlives what it is about: a case refers to its post and people only as long as they are there.
create table cases (
  id bigint generated always as identity primary key,
  subject text not null,
  about text not null generated always as (split_part(subject, '-', 1)) stored,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  person_id bigint,
  course_id bigint,
  is_for_admins boolean not null default false,
  opened_at timestamptz not null default now(),
  opened_by bigint,
  is_reported boolean not null,
  text_version text not null,
  reports_count integer not null default 0,
  version integer not null default 1,
  claimed_by bigint,
  claimed_until timestamptz,
  state text not null default 'open',
  decided_at timestamptz,
  decided_by bigint,
  reason text not null,
  rule text not null default '',
  note text not null default '',
  reporter_note text not null default '',
  staff_note text not null default '',
  constraint cases_question_fkey foreign key (question_id) references questions (id) on delete set null,
  constraint cases_answer_fkey foreign key (answer_id) references answers (id) on delete set null,
  constraint cases_reply_fkey foreign key (reply_id) references replies (id) on delete set null,
  constraint cases_person_fkey foreign key (person_id) references people (id) on delete set null,
  constraint cases_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint cases_opener_fkey foreign key (opened_by) references people (id) on delete set null,
  constraint cases_claimer_fkey foreign key (claimed_by) references people (id) on delete set null,
  constraint cases_decider_fkey foreign key (decided_by) references people (id) on delete set null,
  constraint cases_subject_form check (subject ~ '^(question|answer|reply|person)-[1-9][0-9]*$'),
  constraint cases_one_post check (num_nonnulls(question_id, answer_id, reply_id) <= 1),
  constraint cases_about_people_for_admins check (course_id is not null or is_for_admins),
  constraint cases_reason_known check (reason in ('spam', 'rude', 'solution', 'personal', 'other')),
  constraint cases_state_known check (state in ('open', 'upheld', 'declined')),
  constraint cases_decided check ((state = 'open') = (decided_at is null)),
  constraint cases_claim_of_open check (claimed_by is null or state = 'open'),
  constraint cases_counts check (reports_count >= 0 and version > 0),
  constraint cases_texts_length check (
    char_length(text_version) <= 64 and char_length(rule) <= 300 and char_length(note) <= 5000
    and char_length(reporter_note) <= 5000 and char_length(staff_note) <= 5000)
);
comment on column cases.subject is 'what it is about, as its element is named: answer-12, person-7; stays when that is gone';
comment on column cases.person_id is 'whose post it is, or who it is about';
comment on column cases.course_id is 'null: of the forum, as what is about a profile';
comment on column cases.text_version is 'of the text that was reported last';
comment on column cases.version is 'counts what changes a decision: being passed on, a report about another text, the decision itself';
comment on column cases.reason is 'of the first report, or why staff opened it';
-- One open case for each subject, whatever made it.
create unique index cases_open on cases (subject) where state = 'open';
create index cases_of_subject on cases (subject, id);
create index cases_question on cases (question_id) where question_id is not null;
create index cases_answer on cases (answer_id) where answer_id is not null;
create index cases_reply on cases (reply_id) where reply_id is not null;
create index cases_person on cases (person_id) where person_id is not null;
create index cases_opener on cases (opened_by) where opened_by is not null;
create index cases_claimer on cases (claimed_by) where claimed_by is not null;
create index cases_decider on cases (decided_by) where decided_by is not null;
-- The queues: of a course, and of the admins.
create index cases_waiting on cases (course_id, opened_at, id) where state = 'open' and not is_for_admins;
create index cases_for_admins on cases (opened_at, id) where state = 'open' and is_for_admins;
create index cases_decided_in on cases (course_id, decided_at, id) where state <> 'open';
create index cases_decided_late on cases (decided_at, id) where state <> 'open';
create index cases_course on cases (course_id);

-- The text as it was when it was reported, one row for each version that was.
create table case_snapshots (
  case_id bigint not null,
  text_version text not null,
  title text,
  body text,
  tags text[],
  written_at timestamptz,
  taken_at timestamptz not null default now(),
  redacted_at timestamptz,
  redacted_by bigint,
  redacted_why text,
  primary key (case_id, text_version),
  constraint case_snapshots_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint case_snapshots_redactor_fkey foreign key (redacted_by) references people (id) on delete set null,
  constraint case_snapshots_redacted check (redacted_at is null or (title is null and body is null and tags is null)),
  constraint case_snapshots_length check (char_length(title) <= 300 and char_length(body) <= 60000 and char_length(redacted_why) <= 300)
);
create index case_snapshots_redactor on case_snapshots (redacted_by) where redacted_by is not null;

-- Pictures of these texts: kept as long as the case is, whatever becomes of the post.
create table case_images (
  case_id bigint not null,
  image_id bigint not null,
  primary key (case_id, image_id),
  constraint case_images_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint case_images_image_fkey foreign key (image_id) references images (id) on delete cascade
);
create index case_images_image on case_images (image_id);

create table reports (
  id bigint generated always as identity primary key,
  case_id bigint not null,
  person_id bigint,
  is_by_visitor boolean not null,
  visitor_name text not null default '',
  visitor_email text,
  language text not null,
  text_version text not null,
  reason text not null,
  note text not null default '',
  reported_at timestamptz not null default now(),
  constraint reports_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint reports_person_fkey foreign key (person_id) references people (id) on delete set null,
  constraint reports_by_one check (not is_by_visitor or person_id is null),
  constraint reports_contact_of_visitors check (is_by_visitor or (visitor_name = '' and visitor_email is null)),
  constraint reports_reason_known check (reason in ('spam', 'rude', 'solution', 'personal', 'other')),
  constraint reports_language_known check (language in ('en', 'ko')),
  constraint reports_texts_length check (
    char_length(note) <= 2000 and char_length(visitor_name) <= 50 and char_length(visitor_email) <= 254
    and char_length(text_version) <= 64),
  constraint reports_once unique (case_id, person_id, text_version)
);
create index reports_person on reports (person_id) where person_id is not null;

create table case_handovers (
  id bigint generated always as identity primary key,
  case_id bigint not null,
  is_to_admins boolean not null,
  note text not null default '',
  handed_by bigint,
  handed_at timestamptz not null default now(),
  constraint case_handovers_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint case_handovers_person_fkey foreign key (handed_by) references people (id) on delete set null,
  constraint case_handovers_note_length check (char_length(note) <= 5000)
);
create index case_handovers_case on case_handovers (case_id);
create index case_handovers_person on case_handovers (handed_by) where handed_by is not null;
