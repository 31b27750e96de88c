-- A run brings an export into a course: its posts are held as 'import' in batches, which no one sees, until a last step shows them.
create table import_runs (
  id bigint generated always as identity primary key,
  course_id bigint not null references courses (id) on delete cascade,
  source text not null,
  origin text not null,
  digest bytea not null,
  makes_course boolean not null default false,
  state text not null default 'reading',
  file text,
  line integer not null default 0,
  counts jsonb not null default '{}',
  reader uuid,
  reader_until timestamptz,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  constraint import_runs_digest_length check (octet_length(digest) = 32),
  constraint import_runs_ended check ((state = 'reading') = (ended_at is null)),
  constraint import_runs_line_positive check (line >= 0),
  constraint import_runs_origin_length check (char_length(origin) between 1 and 500),
  constraint import_runs_reader_whole check ((reader is null) = (reader_until is null)),
  constraint import_runs_source_form check (source ~ '^[a-z]{1,32}$'),
  constraint import_runs_state_known check (state in ('reading', 'shown'))
);
comment on table import_runs is 'an export that comes into a course, or came';
comment on column import_runs.digest is 'of what is read: a run goes on with the same';
comment on column import_runs.makes_course is 'the course was made for it, and goes with it if it is undone';
comment on column import_runs.file is 'which file is being read; null: none yet';
comment on column import_runs.line is 'how many lines of it are read';
comment on column import_runs.counts is 'what became of what was read so far';
comment on column import_runs.reader is 'the process that reads; null: none';
comment on column import_runs.reader_until is 'until then no other process goes on with it';
create unique index import_runs_reading on import_runs (course_id) where state = 'reading';
create index import_runs_course on import_runs (course_id, started_at);

-- What becomes of a question in the last step: lectures, categories and tags aren't there before, nor are answers of the run for a
-- question that an earlier one brought.
create table import_placings (
  question_id bigint primary key references questions (id) on delete cascade,
  run_id bigint not null references import_runs (id) on delete cascade,
  category text,
  lecture text,
  tags text[] not null,
  accepted_answer text
);
comment on column import_placings.accepted_answer is 'of a question that was there before: its id in the export';
comment on column import_placings.category is 'its id in the export, as that of the lecture; null: it has none';
create index import_placings_run on import_placings (run_id);

-- What else came with imports: a repeated one adds only what is new.
create table imported_things (
  course_id bigint not null references courses (id) on delete cascade,
  source text not null,
  origin text not null,
  kind text not null,
  external_id text not null,
  run_id bigint references import_runs (id) on delete set null,
  lecture_id bigint references lectures (id) on delete cascade,
  category_id bigint references categories (id) on delete cascade,
  announcement_id bigint references announcements (id) on delete cascade,
  faq_entry_id bigint references faq_entries (id) on delete cascade,
  image_id bigint references images (id) on delete cascade,
  primary key (course_id, source, origin, kind, external_id),
  constraint imported_things_key_length
    check (source ~ '^[a-z]{1,32}$' and char_length(origin) between 1 and 500 and char_length(external_id) between 1 and 200),
  constraint imported_things_of_kind check (num_nonnulls(lecture_id, category_id, announcement_id, faq_entry_id, image_id) = 1
    and case kind when 'lecture' then lecture_id when 'category' then category_id when 'announcement' then announcement_id
      when 'faq' then faq_entry_id when 'file' then image_id end is not null)
);
create index imported_things_run on imported_things (run_id) where run_id is not null;
create index imported_things_lecture on imported_things (lecture_id) where lecture_id is not null;
create index imported_things_category on imported_things (category_id) where category_id is not null;
create index imported_things_announcement on imported_things (announcement_id) where announcement_id is not null;
create index imported_things_faq_entry on imported_things (faq_entry_id) where faq_entry_id is not null;
create index imported_things_image on imported_things (image_id) where image_id is not null;

alter table imported_posts add column run_id bigint, add column stays_held boolean not null default false;
alter table imported_posts add constraint imported_posts_run_fkey
  foreign key (run_id) references import_runs (id) on delete set null not valid;
alter table imported_people add column run_id bigint, add column is_gone boolean not null default false;
alter table imported_people add constraint imported_people_run_fkey
  foreign key (run_id) references import_runs (id) on delete set null not valid;
comment on column imported_posts.run_id is 'which run brought it; null: one of before there were runs';
comment on column imported_posts.stays_held is 'its source held it back: it waits for review when the run is shown';
comment on column imported_people.run_id is 'which run brought them; null: one of before there were runs';
comment on column imported_people.is_gone is 'an account that was gone there, or someone whom no one knows';

alter table questions drop constraint questions_held_for_known;
alter table answers drop constraint answers_held_for_known;
alter table replies drop constraint replies_held_for_known;
alter table questions add constraint questions_held_for_known check (held_for in ('all', 'newcomers', 'unconfirmed', 'hosts',
  'same-text', 'words', 'links', 'address', 'hidden-field', 'reports', 'service', 'source', 'import')) not valid;
alter table answers add constraint answers_held_for_known check (held_for in ('all', 'newcomers', 'unconfirmed', 'hosts',
  'same-text', 'words', 'links', 'address', 'hidden-field', 'reports', 'service', 'source', 'import')) not valid;
alter table replies add constraint replies_held_for_known check (held_for in ('all', 'newcomers', 'unconfirmed', 'hosts',
  'same-text', 'words', 'links', 'address', 'hidden-field', 'reports', 'service', 'source', 'import')) not valid;
comment on column questions.held_for is
  'this and the same column of answers and replies: why it is held: the course holds all posts or those of newcomers, what was noticed, or a run brings it in (import), when no one sees it';
