-- What somebody has read, follows, and has begun to write.

-- One row per visitor, question and day; visitor is a keyed hash that changes every day. Unlogged: after a crash of the
-- server a visitor may count twice that day, and a view costs half the writing.
-- A network counts only a limited number of new visitors per question and hour, however many browsers it pretends to be.
create unlogged table question_views (
  question_id bigint,
  day date,
  visitor bytea,
  network bytea,
  seen_at timestamptz not null default now(),
  primary key (day, question_id, visitor),
  constraint question_views_network_length check (octet_length(network) = 16)
);
comment on column question_views.network is
  'keyed hash that changes every day; null: of somebody signed in, who is limited by their account';
create index question_views_network on question_views (question_id, network, seen_at);

-- How far somebody has read a question.
create table question_reads (
  question_id bigint,
  person_id bigint,
  read_at timestamptz(3) not null,
  primary key (person_id, question_id),
  constraint question_reads_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint question_reads_question_fkey foreign key (question_id) references questions (id) on delete cascade
);
create index question_reads_latest on question_reads (person_id, read_at);
-- Reads of single questions older than their term are folded into the row of their course: src/forum/telling/course-reads.ts.
create index question_reads_old on question_reads (read_at);
create index question_reads_question on question_reads (question_id);

-- How far somebody has read a whole course: whatever was posted there until then counts as read, opened or not.
create table course_reads (
  course_id bigint,
  person_id bigint,
  read_up_to timestamptz(3) not null,
  primary key (person_id, course_id),
  constraint course_reads_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_reads_person_fkey foreign key (person_id) references people (id) on delete cascade
);
comment on column course_reads.read_up_to is 'question_reads of single questions count where they are later. It only ever grows';
create index course_reads_course on course_reads (course_id);

create table course_follows (
  course_id bigint,
  person_id bigint,
  is_followed boolean not null,
  followed_at timestamptz(3) not null default now(),
  primary key (course_id, person_id),
  constraint course_follows_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_follows_person_fkey foreign key (person_id) references people (id) on delete cascade
);
comment on column course_follows.is_followed is
  'false: staff who do not want to hear of each new question. Without a row staff follow, others do not';
create index course_follows_person on course_follows (person_id);

create table lecture_follows (
  lecture_id bigint,
  person_id bigint,
  followed_at timestamptz(3) not null default now(),
  primary key (lecture_id, person_id),
  constraint lecture_follows_lecture_fkey foreign key (lecture_id) references lectures (id) on delete cascade,
  constraint lecture_follows_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index lecture_follows_person on lecture_follows (person_id);

create table tag_follows (
  tag_id bigint,
  person_id bigint,
  followed_at timestamptz(3) not null default now(),
  primary key (tag_id, person_id),
  constraint tag_follows_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint tag_follows_tag_fkey foreign key (tag_id) references tags (id) on delete cascade
);
create index tag_follows_person on tag_follows (person_id);

-- Following a question. instead_of_asking: the person was about to ask and found that it was already answered.
create table question_follows (
  question_id bigint,
  person_id bigint,
  instead_of_asking boolean not null default false,
  followed_at timestamptz(3) not null default now(),
  level text not null default 'follow',
  primary key (question_id, person_id),
  constraint question_follows_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint question_follows_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_follows_instead_followed check (not instead_of_asking or level = 'follow'),
  constraint question_follows_level_known check (level in ('follow', 'mute'))
);
comment on column question_follows.level is 'mute: nothing in the question is told, whatever else they follow';
create index question_follows_instead on question_follows (question_id) where instead_of_asking;
create index question_follows_person on question_follows (person_id, followed_at, question_id);

-- Text that somebody is still writing: one draft per person and form. place is where the form is posted.
create table drafts (
  id bigint generated always as identity primary key,
  person_id bigint not null,
  place text not null,
  fields jsonb not null,
  version integer not null default 1,
  saved_at timestamptz not null default now(),
  posted_digest bytea,
  constraint drafts_person_place_key unique (person_id, place),
  constraint drafts_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint drafts_fields_check check (jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 262144),
  constraint drafts_place_check check (place ~ '^/' and length(place) <= 200),
  constraint drafts_version_check check (version > 0)
);
comment on column drafts.posted_digest is
  'of the title and body that were posted from here last; with it and without fields, the row is no draft';
-- A person's drafts, newest first, and those that expire.
create index drafts_person_saved on drafts (person_id, saved_at desc, id desc);
create index drafts_saved on drafts (saved_at);
alter table drafts add constraint drafts_posted_digest_length check (octet_length(posted_digest) = 32) not valid;

-- Text typed by somebody who was not signed in, or no longer: it is restored after sign-in. It belongs to one person, ends
-- with signing out in that browser, and is limited per network.
create table kept_forms (
  token_hash bytea primary key,
  fields jsonb not null,
  person_id bigint,
  browser_hash bytea,
  network_hash bytea,
  kept_at timestamptz not null default now(),
  constraint kept_forms_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint kept_forms_browser_hash_length check (octet_length(browser_hash) = 32),
  constraint kept_forms_network_hash_length check (octet_length(network_hash) = 32),
  constraint kept_forms_token_hash_length check (octet_length(token_hash) = 32)
);
comment on column kept_forms.person_id is 'whose session had ended, or who opened it first; null: not known yet';
comment on column kept_forms.browser_hash is 'of the browser''s cookie';
create index kept_forms_browser on kept_forms (browser_hash);
create index kept_forms_kept on kept_forms (kept_at);
create index kept_forms_network on kept_forms (network_hash, kept_at);
create index kept_forms_person on kept_forms (person_id);
