-- Reports and cases, measures and objections, and the rules they go by.

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
  constraint policies_body_length check (char_length(body) <= 30000),
  constraint policies_course_rules check (course_id is null or name = 'rules'),
  constraint policies_language_known check (language in ('en', 'ko')),
  constraint policies_name_known check (name in ('rules', 'privacy', 'contact')),
  constraint policies_version_positive check (version > 0)
);
comment on column policies.course_id is 'null: a page of the forum';
create unique index policies_of_course on policies (course_id) where course_id is not null;
create unique index policies_of_forum on policies (name, language) where course_id is null;

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
  opened_at timestamptz(3) not null default now(),
  opened_by bigint,
  is_reported boolean not null,
  text_version text not null,
  reports_count integer not null default 0,
  version integer not null default 1,
  claimed_by bigint,
  claimed_until timestamptz,
  state text not null default 'open',
  decided_at timestamptz(3),
  decided_by bigint,
  reason text not null,
  rule text not null default '',
  note text not null default '',
  reporter_note text not null default '',
  staff_note text not null default '',
  constraint cases_answer_fkey foreign key (answer_id) references answers (id) on delete set null,
  constraint cases_claimer_fkey foreign key (claimed_by) references people (id) on delete set null,
  constraint cases_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint cases_decider_fkey foreign key (decided_by) references people (id) on delete set null,
  constraint cases_opener_fkey foreign key (opened_by) references people (id) on delete set null,
  constraint cases_person_fkey foreign key (person_id) references people (id) on delete set null,
  constraint cases_question_fkey foreign key (question_id) references questions (id) on delete set null,
  constraint cases_reply_fkey foreign key (reply_id) references replies (id) on delete set null,
  constraint cases_about_people_for_admins check (course_id is not null or is_for_admins),
  constraint cases_claim_of_open check (claimed_by is null or state = 'open'),
  constraint cases_counts check (reports_count >= 0 and version > 0),
  constraint cases_decided check ((state = 'open') = (decided_at is null)),
  constraint cases_one_post check (num_nonnulls(question_id, answer_id, reply_id) <= 1),
  constraint cases_reason_known check (reason in ('spam', 'rude', 'solution', 'personal', 'other')),
  constraint cases_state_known check (state in ('open', 'upheld', 'declined')),
  constraint cases_subject_form check (subject ~ '^(question|answer|reply|person)-[1-9][0-9]*$'),
  constraint cases_texts_length check (char_length(text_version) <= 64 and char_length(rule) <= 300 and char_length(note) <= 5000
    and char_length(reporter_note) <= 5000 and char_length(staff_note) <= 5000)
);
comment on column cases.subject is 'what it is about, as its element is named: answer-12, person-7; stays when that is gone';
comment on column cases.person_id is 'whose post it is, or who it is about';
comment on column cases.course_id is 'null: of the forum, as what is about a profile';
comment on column cases.text_version is 'of the text that was reported last';
comment on column cases.version is
  'counts what changes a decision: being passed on, a report about another text, the decision itself';
comment on column cases.reason is 'of the first report, or why staff opened it';
create index cases_answer on cases (answer_id) where answer_id is not null;
create index cases_claimer on cases (claimed_by) where claimed_by is not null;
create index cases_course on cases (course_id);
-- What the admins decided, the latest first, however much the courses did.
create index cases_decided_by_admins on cases (decided_at, id) where state <> 'open' and is_for_admins;
create index cases_decided_in on cases (course_id, decided_at, id) where state <> 'open';
create index cases_decided_late on cases (decided_at, id) where state <> 'open';
create index cases_decider on cases (decided_by) where decided_by is not null;
create index cases_for_admins on cases (opened_at, id) where state = 'open' and is_for_admins;
create index cases_of_subject on cases (subject, id);
-- One open case for each subject, whatever made it.
create unique index cases_open on cases (subject) where state = 'open';
create index cases_opener on cases (opened_by) where opened_by is not null;
create index cases_person on cases (person_id) where person_id is not null;
create index cases_question on cases (question_id) where question_id is not null;
create index cases_reply on cases (reply_id) where reply_id is not null;
-- The form of a case begins with the rule that staff of its course named last for its ground.
create index cases_rules_named on cases (course_id, reason, decided_at) where state = 'upheld' and rule <> '';
-- The queues: of a course, and of the admins.
create index cases_waiting on cases (course_id, opened_at, id) where state = 'open' and not is_for_admins;

-- The text as it was when it was reported, one row for each version that was.
create table case_snapshots (
  case_id bigint,
  text_version text,
  title text,
  body text,
  tags text[],
  written_at timestamptz,
  taken_at timestamptz not null default now(),
  redacted_at timestamptz,
  redacted_by bigint,
  redacted_why text,
  excerpt text,
  primary key (case_id, text_version),
  constraint case_snapshots_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint case_snapshots_redactor_fkey foreign key (redacted_by) references people (id) on delete set null,
  constraint case_snapshots_excerpt_length check (char_length(excerpt) <= 240),
  constraint case_snapshots_excerpt_redacted check (redacted_at is null or excerpt is null),
  constraint case_snapshots_length check (char_length(title) <= 300 and char_length(body) <= 60000 and char_length(redacted_why) <=
    300),
  constraint case_snapshots_redacted check (redacted_at is null or title is null and body is null and tags is null)
);
comment on column case_snapshots.excerpt is 'plain text; null: redacted, or of a person, or not made yet';
create index case_snapshots_redactor on case_snapshots (redacted_by) where redacted_by is not null;

-- Pictures of these texts: kept as long as the case is, whatever becomes of the post.
create table case_images (
  case_id bigint,
  image_id bigint,
  primary key (case_id, image_id),
  constraint case_images_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint case_images_image_fkey foreign key (image_id) references images (id) on delete cascade
);
create index case_images_image on case_images (image_id);

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
  constraint reports_once unique (case_id, person_id, text_version),
  constraint reports_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint reports_person_fkey foreign key (person_id) references people (id) on delete set null,
  constraint reports_by_one check (not is_by_visitor or person_id is null),
  constraint reports_contact_of_visitors check (is_by_visitor or visitor_name = '' and visitor_email is null),
  constraint reports_language_known check (language in ('en', 'ko')),
  constraint reports_reason_known check (reason in ('spam', 'rude', 'solution', 'personal', 'other')),
  constraint reports_texts_length check (char_length(note) <= 2000 and char_length(visitor_name) <= 50 and
    char_length(visitor_email) <= 254 and char_length(text_version) <= 64)
);
create index reports_person on reports (person_id) where person_id is not null;

-- What a decision does, each of it with its own beginning and end, and liftable by itself.
create table measures (
  id bigint generated always as identity primary key,
  case_id bigint not null,
  kind text not null,
  person_id bigint,
  course_id bigint,
  is_everywhere boolean not null default false,
  former_name text,
  starts_at timestamptz not null default now(),
  ends_at timestamptz,
  made_by bigint,
  ended_at timestamptz,
  ended_by bigint,
  ended_how text,
  end_note text not null default '',
  constraint measures_one_of_a_kind unique (case_id, kind),
  constraint measures_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint measures_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint measures_ender_fkey foreign key (ended_by) references people (id) on delete set null,
  constraint measures_maker_fkey foreign key (made_by) references people (id) on delete set null,
  constraint measures_person_fkey foreign key (person_id) references people (id) on delete set null,
  constraint measures_end_after_start check (ends_at > starts_at),
  constraint measures_ended check ((ended_at is null) = (ended_how is null)),
  constraint measures_ended_how_known check (ended_how in ('over', 'lifted', 'objection')),
  constraint measures_former_name check ((kind = 'reset-name') = (former_name is not null)),
  constraint measures_kind_known check (kind in ('hide', 'delete', 'close', 'private', 'reset-name', 'warn', 'suspend')),
  constraint measures_place check (not is_everywhere or course_id is null),
  constraint measures_suspends_somewhere check (kind <> 'suspend' or is_everywhere or course_id is not null),
  constraint measures_texts_length check (char_length(end_note) <= 5000 and char_length(former_name) <= 50)
);
comment on column measures.former_name is 'the display name that was reset: it can''t be chosen again while this is in force';
comment on column measures.starts_at is
  'the time of its transaction: what a measure deleted was deleted then, and comes back with its end';
comment on column measures.ends_at is 'null: no end';
comment on column measures.ended_at is 'when it was lifted, or was over; null: in force, but for warnings, which are said once';
create index measures_course on measures (course_id) where course_id is not null;
create index measures_ender on measures (ended_by) where ended_by is not null;
create index measures_ending on measures (ends_at) where ends_at is not null and ended_at is null;
create index measures_maker on measures (made_by) where made_by is not null;
create index measures_person on measures (person_id) where person_id is not null;
create index measures_suspended on measures (person_id) where kind = 'suspend' and ended_at is null;

-- What the person says to a measure, once, and what somebody else answers.
create table objections (
  measure_id bigint primary key,
  note text not null,
  made_at timestamptz not null default now(),
  outcome text,
  answer text not null default '',
  answered_at timestamptz,
  answered_by bigint,
  constraint objections_answerer_fkey foreign key (answered_by) references people (id) on delete set null,
  constraint objections_measure_fkey foreign key (measure_id) references measures (id) on delete cascade,
  constraint objections_answered check ((outcome is null) = (answered_at is null)),
  constraint objections_outcome_known check (outcome in ('keep', 'lift')),
  constraint objections_texts_length check (char_length(note) between 1 and 5000 and char_length(answer) <= 5000)
);
create index objections_answerer on objections (answered_by) where answered_by is not null;
create index objections_waiting on objections (made_at, measure_id) where answered_at is null;

-- What staff and admins did, and people's own sign-in events: plain ids without foreign keys, so that departures and purges
-- need not touch it, and no names, addresses or texts.
create table audit (
  id bigint generated always as identity primary key,
  happened_at timestamptz not null default now(),
  act text not null,
  actor_id bigint,
  role text not null,
  course_id bigint,
  subject_kind text,
  subject_id bigint,
  detail jsonb not null default '{}'::jsonb,
  redacted_at timestamptz,
  constraint audit_act_word check (act ~ '^[a-z][a-z-]{1,40}$'),
  constraint audit_detail_bounded check (jsonb_typeof(detail) = 'object' and pg_column_size(detail) < 2000),
  constraint audit_role_known check (role in ('self', 'visitor', 'outsider', 'learner', 'assistant', 'instructor', 'admin',
    'operator', 'forum')),
  constraint audit_subject_kind_word check (subject_kind ~ '^[a-z][a-z-]{1,20}$'),
  constraint audit_subject_whole check (subject_id is null or subject_kind is not null)
);
comment on table audit is 'append-only: prune_audit deletes by age, redact_audit empties an entry';
comment on column audit.role is 'in which role the actor acted, as it was then; self: an act on one''s own account';
create index audit_actor on audit (actor_id, happened_at, id);
create index audit_course on audit (course_id, happened_at, id);
create index audit_happened on audit (happened_at, id);
create index audit_subject on audit (subject_kind, subject_id, happened_at, id);
