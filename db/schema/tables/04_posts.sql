-- Questions, answers and replies, with what stands beside them.

-- A post keeps its Markdown (body) and the HTML rendered from it (body_html) with the version of the renderer.
-- Deleting hides: the row stays and deleted_at is set. Who deleted a post decides who may restore it: staff always, its
-- author for an hour after deleting it (src/rights/table.ts).
-- version counts edits, so that two editors notice each other.
-- Times of posts have milliseconds, because a page's cursor carries them exactly.
-- is_imported: an import keeps posts that are longer than a form accepts.
-- imported_votes_count: the score of an import, whose voters are unknown; votes_count = that + rows in *_votes.
create table questions (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  category_id bigint not null,
  lecture_id bigint,
  author_id bigint not null,
  title text not null,
  body text not null,
  body_html text not null,
  renderer_version integer not null,
  status text not null default 'unresolved',
  accepted_answer_id bigint,
  answers_count integer not null default 0,
  state smallint not null generated always as (( case status when 'resolved' then 2 else 0 end + case answers_count when 0 then 1
    else 0 end)) stored,
  votes_count integer not null default 0,
  imported_votes_count integer not null default 0,
  views_count integer not null default 0,
  written_at timestamptz(3) not null default now(),
  active_at timestamptz(3) not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  deleted_by bigint references people (id) on delete set null,
  version integer not null default 1,
  is_imported boolean not null default false,
  audience text not null default 'course',
  is_anonymous boolean not null default false,
  is_listed boolean not null default true,
  was_open boolean not null default true,
  reopened_at timestamptz(3),
  duplicate_of bigint references questions (id) on delete restrict,
  duplicate_by bigint references people (id) on delete restrict,
  resolved_at timestamptz(3),
  edited_by bigint references people (id) on delete restrict,
  edit_reason text,
  calls_staff boolean not null default false,
  purged_at timestamptz,
  closed_at timestamptz(3),
  held_at timestamptz,
  hidden_at timestamptz,
  is_shown boolean not null default true,
  answers_closed_at timestamptz,
  constraint questions_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint questions_category_fkey foreign key (course_id, category_id) references categories (course_id, id) on delete restrict,
  constraint questions_course_fkey foreign key (course_id) references courses (id) on delete restrict,
  constraint questions_lecture_fkey foreign key (course_id, lecture_id) references lectures (course_id, id) on delete set null
    (lecture_id),
  constraint questions_accepted_is_resolved check (accepted_answer_id is null or status = 'resolved'),
  constraint questions_answers_count_positive check (answers_count >= 0),
  constraint questions_audience_known check (audience in ('course', 'staff')),
  constraint questions_body_html_length check (octet_length(body_html) <= 4000000 or is_imported),
  constraint questions_body_length check (char_length(body) between 1 and 30000 or is_imported and body <> ''),
  constraint questions_closed_at_of_closed check ((closed_at is null) = (status = 'unresolved' and duplicate_of is null)),
  constraint questions_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null),
  constraint questions_duplicate_by_of_duplicate check (duplicate_by is null or duplicate_of is not null),
  constraint questions_duplicate_of_another check (duplicate_of <> id),
  constraint questions_edit_reason_length check (char_length(edit_reason) between 1 and 200),
  constraint questions_is_listed_kept check (is_listed = (is_shown and audience = 'course')),
  constraint questions_is_shown_kept check (is_shown = (num_nonnulls(deleted_at, held_at, hidden_at) = 0)),
  constraint questions_purged_is_empty check (purged_at is null or deleted_at is not null and title = '---' and body = '-' and
    edit_reason is null),
  constraint questions_resolved_at_is_resolved check (resolved_at is null or status = 'resolved'),
  constraint questions_status_known check (status in ('unresolved', 'resolved')),
  constraint questions_title_length check (char_length(title) between 3 and 150),
  constraint questions_version_positive check (version > 0),
  constraint questions_views_count_positive check (views_count >= 0)
);
comment on column questions.state is '0 unresolved, 1 unresolved and unanswered, 2 resolved, 3 resolved and unanswered';
comment on column questions.deleted_by is 'who deleted the post; null: it is not deleted, or the account is gone';
comment on column questions.is_listed is
  'shown, and not private: what lists, counts, tags and search may know of; kept by a trigger';
comment on column questions.was_open is
  'false: it has been private from its first moment on, so that classmates never saw the name';
comment on column questions.reopened_at is 'when it last became unresolved after having been resolved; kept by a trigger';
comment on column questions.duplicate_of is 'the question whose answers answer this one, which is no duplicate itself';
comment on column questions.duplicate_by is 'who of the staff said so';
comment on column questions.resolved_at is 'null: not resolved, or nobody noted when';
comment on column questions.edited_by is 'whose edit made the present text; null: nobody edited it';
comment on column questions.edit_reason is 'why, in that person''s words; null: they did not say';
comment on column questions.calls_staff is 'this and the same column of answers and replies: the text says @staff';
comment on column questions.purged_at is 'when the text was removed for good; null: it is there, perhaps hidden';
comment on column questions.closed_at is 'when it became resolved or a duplicate; null: it is neither. Kept by a trigger';
comment on column questions.held_at is
  'this and the same column of answers and replies: since when it waits to be let through; null: it does not';
comment on column questions.hidden_at is
  'this and the same column of answers and replies: since when moderators hide it; null: they do not';
comment on column questions.is_shown is
  'this and the same column of answers and replies: neither deleted nor held nor hidden; kept by a trigger';
comment on column questions.answers_closed_at is 'since when only staff answer it; null: who may answer in the course';
create index questions_accepted_answer on questions (accepted_answer_id) where accepted_answer_id is not null;
create index questions_alive_of_course on questions (course_id, written_at, id) where deleted_at is null;
-- Of a lecture's questions, also deleted ones: under questions_lecture_fkey, and for the desk.
create index questions_any_of_lecture on questions (lecture_id, written_at, id) where lecture_id is not null;
create index questions_category on questions (course_id, category_id);
create index questions_course_state_active on questions (course_id, state, active_at, id) where is_listed;
create index questions_course_state_views on questions (course_id, state, views_count, id) where is_listed;
create index questions_course_state_votes on questions (course_id, state, votes_count, id) where is_listed;
create index questions_course_state_written on questions (course_id, state, written_at, id) where is_listed;
create index questions_deleted_by on questions (deleted_by) where deleted_by is not null;
create index questions_duplicate_by on questions (duplicate_by) where duplicate_by is not null;
create index questions_duplicate_of on questions (duplicate_of) where duplicate_of is not null;
create index questions_edited_by on questions (edited_by) where edited_by is not null;
-- For foreign keys that carry the course along with its question.
create unique index questions_id_course on questions (id, course_id);
create index questions_lecture_active on questions (lecture_id, state, active_at, id) where is_listed;
create index questions_lecture_views on questions (lecture_id, state, views_count, id) where is_listed;
create index questions_lecture_votes on questions (lecture_id, state, votes_count, id) where is_listed;
create index questions_lecture_written on questions (lecture_id, state, written_at, id) where is_listed;
-- Of a person's questions, also deleted ones: under questions_author_fkey, and for what somebody takes along who leaves. Only a
-- person's own list sorts otherwise than by time; their questions are few, read along this and sorted.
create index questions_of_author on questions (author_id, state, written_at, id);
create index questions_shown_of_course on questions (course_id, written_at, id) where is_shown;
create index questions_shown_private on questions (course_id, written_at, id) where is_shown and audience = 'staff';
create index questions_state_active on questions (state, active_at, id) where is_listed;
create index questions_state_views on questions (state, views_count, id) where is_listed;
create index questions_state_votes on questions (state, votes_count, id) where is_listed;
-- Lists: each scope (all, a course, a lecture, an author, a tag) has an index for each sort, led by the question's state.
-- A list reads the first rows of at most four states and merges them (src/forum/questions/list.ts), so that every status of
-- every scope takes as long among a million questions as among a thousand, also where one status is rare or all of it is old.
create index questions_state_written on questions (state, written_at, id) where is_listed;
-- The newest of any state: feeds, the aside of a course.
create index questions_written on questions (written_at, id) where is_listed;

create table answers (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  author_id bigint not null,
  body text not null,
  body_html text not null,
  renderer_version integer not null,
  votes_count integer not null default 0,
  imported_votes_count integer not null default 0,
  written_at timestamptz(3) not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  deleted_by bigint references people (id) on delete set null,
  was_accepted boolean not null default false,
  version integer not null default 1,
  is_imported boolean not null default false,
  is_anonymous boolean not null default false,
  endorsed_by bigint references people (id) on delete restrict,
  endorsed_at timestamptz(3),
  edited_by bigint references people (id) on delete restrict,
  edit_reason text,
  calls_staff boolean not null default false,
  purged_at timestamptz,
  held_at timestamptz,
  hidden_at timestamptz,
  is_shown boolean not null default true,
  constraint answers_question_key unique (question_id, id),
  constraint answers_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint answers_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint answers_body_html_length check (octet_length(body_html) <= 4000000 or is_imported),
  constraint answers_body_length check (char_length(body) between 1 and 30000 or is_imported and body <> ''),
  constraint answers_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null),
  constraint answers_edit_reason_length check (char_length(edit_reason) between 1 and 200),
  constraint answers_endorsed_whole check ((endorsed_by is null) = (endorsed_at is null)),
  constraint answers_is_shown_kept check (is_shown = (num_nonnulls(deleted_at, held_at, hidden_at) = 0)),
  constraint answers_purged_is_empty check (purged_at is null or deleted_at is not null and body = '-' and edit_reason is null),
  constraint answers_version_positive check (version > 0),
  constraint answers_was_accepted_of_not_shown check (not was_accepted or not is_shown)
);
comment on column answers.deleted_by is 'who deleted the post; null: it is not deleted, or the account is gone';
comment on column answers.was_accepted is
  'was the accepted answer until it was deleted or hidden: showing it again accepts it again';
comment on column answers.endorsed_by is 'who of the staff says that it is correct';
comment on column answers.purged_at is 'when the text was removed for good; null: it is there, perhaps hidden';
create index answers_deleted_by on answers (deleted_by) where deleted_by is not null;
create index answers_edited_by on answers (edited_by) where edited_by is not null;
create index answers_endorsed_by on answers (endorsed_by) where endorsed_by is not null;
-- Of deleted answers too.
create index answers_of_author on answers (author_id, written_at, id);
alter table questions add constraint questions_accepted_answer_fkey foreign key (id, accepted_answer_id) references answers
  (question_id, id) on delete set null (accepted_answer_id);

create table replies (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  answer_id bigint,
  author_id bigint not null,
  body text not null,
  body_html text not null,
  renderer_version integer not null,
  written_at timestamptz(3) not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  deleted_by bigint references people (id) on delete set null,
  version integer not null default 1,
  is_imported boolean not null default false,
  is_anonymous boolean not null default false,
  edited_by bigint references people (id) on delete restrict,
  edit_reason text,
  calls_staff boolean not null default false,
  purged_at timestamptz,
  held_at timestamptz,
  hidden_at timestamptz,
  is_shown boolean not null default true,
  constraint replies_answer_fkey foreign key (question_id, answer_id) references answers (question_id, id) on delete cascade,
  constraint replies_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint replies_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint replies_body_html_length check (octet_length(body_html) <= 4000000 or is_imported),
  constraint replies_body_length check (char_length(body) between 1 and 5000 or is_imported and body <> ''),
  constraint replies_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null),
  constraint replies_edit_reason_length check (char_length(edit_reason) between 1 and 200),
  constraint replies_is_shown_kept check (is_shown = (num_nonnulls(deleted_at, held_at, hidden_at) = 0)),
  constraint replies_purged_is_empty check (purged_at is null or deleted_at is not null and body = '-' and edit_reason is null),
  constraint replies_version_positive check (version > 0)
);
comment on column replies.answer_id is 'null: under the question itself, asking back for a detail';
comment on column replies.deleted_by is 'who deleted the post; null: it is not deleted, or the account is gone';
comment on column replies.purged_at is 'when the text was removed for good; null: it is there, perhaps hidden';
create index replies_answer on replies (question_id, answer_id);
create index replies_author on replies (author_id);
create index replies_deleted_by on replies (deleted_by) where deleted_by is not null;
create index replies_edited_by on replies (edited_by) where edited_by is not null;
create index replies_question on replies (question_id, written_at, id);

-- The stand-in names of a question's page: "Anonymous 1" is whoever posted anonymously there first. A number is given for good:
-- others do not change when somebody names their only anonymous post.
create table stand_ins (
  question_id bigint,
  person_id bigint,
  number integer not null,
  primary key (question_id, person_id),
  constraint stand_ins_number_key unique (question_id, number),
  constraint stand_ins_person_fkey foreign key (person_id) references people (id) on delete restrict,
  constraint stand_ins_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint stand_ins_number_positive check (number > 0)
);
create index stand_ins_person on stand_ins (person_id);

create table post_versions (
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  version integer not null,
  title text,
  body text,
  tags text[],
  written_by bigint not null references people (id) on delete restrict,
  written_at timestamptz not null,
  reason text,
  redacted_at timestamptz,
  redacted_by bigint references people (id) on delete restrict,
  constraint post_versions_key unique nulls not distinct (question_id, answer_id, reply_id, version),
  constraint post_versions_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint post_versions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint post_versions_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint post_versions_number check (version >= 1),
  constraint post_versions_one_post check (num_nonnulls(question_id, answer_id, reply_id) = 1),
  constraint post_versions_redacted check ((redacted_at is null) = (redacted_by is null) and (redacted_at is null) = (body is not
    null)),
  constraint post_versions_redacted_whole check (redacted_at is null or title is null and tags is null and reason is null),
  constraint post_versions_whole check (question_id is null and title is null and tags is null or redacted_at is not null or title
    is not null and tags is not null)
);
comment on column post_versions.version is 'the post''s version that this was';
comment on column post_versions.redacted_at is 'when staff removed the text; who wrote when stays';
create index post_versions_answer on post_versions (answer_id, version) where answer_id is not null;
create index post_versions_redacted_by on post_versions (redacted_by) where redacted_by is not null;
create index post_versions_reply on post_versions (reply_id, version) where reply_id is not null;
create index post_versions_written_by on post_versions (written_by);

-- A tag is one word for the whole forum; its uses are counted per course, because not everybody can see each course.
create table tags (
  id bigint generated always as identity primary key,
  name text not null unique,
  constraint tags_name_length check (char_length(name) between 1 and 32)
);

create table course_tags (
  course_id bigint,
  tag_id bigint,
  questions_count integer not null default 0,
  primary key (course_id, tag_id),
  constraint course_tags_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_tags_tag_fkey foreign key (tag_id) references tags (id) on delete cascade,
  constraint course_tags_questions_count_positive check (questions_count >= 0)
);
create index course_tags_most_used on course_tags (course_id, questions_count desc, tag_id);
create index course_tags_tag on course_tags (tag_id);

-- A tag's list would have to sort all questions of a common tag, or read all questions to find those of a rare one. So the
-- columns that lists filter and sort by are copied from the question, by triggers.
create table question_tags (
  question_id bigint,
  position integer not null,
  tag_id bigint,
  course_id bigint not null,
  state smallint not null,
  written_at timestamptz(3) not null,
  active_at timestamptz(3) not null,
  votes integer not null,
  views integer not null,
  is_deleted boolean not null,
  primary key (question_id, tag_id),
  constraint question_tags_question_course_fkey foreign key (question_id, course_id) references questions (id, course_id) on update
    cascade on delete cascade,
  constraint question_tags_tag_fkey foreign key (tag_id) references tags (id) on delete restrict,
  constraint question_tags_position_positive check ("position" > 0)
);
comment on column question_tags.position is 'the order in which the asker gave them';
comment on column question_tags.state is 'this and the columns after it: copied from the question by triggers';
comment on column question_tags.is_deleted is 'the question is not listed: deleted, or private';
create index question_tags_active on question_tags (tag_id, state, active_at, question_id) where not is_deleted;
create index question_tags_course on question_tags (tag_id, course_id);
create index question_tags_views on question_tags (tag_id, state, views, question_id) where not is_deleted;
create index question_tags_votes on question_tags (tag_id, state, votes, question_id) where not is_deleted;
create index question_tags_written on question_tags (tag_id, state, written_at, question_id) where not is_deleted;

create table question_votes (
  question_id bigint,
  person_id bigint,
  voted_at timestamptz not null default now(),
  primary key (question_id, person_id),
  constraint question_votes_person_fkey foreign key (person_id) references people (id) on delete restrict,
  constraint question_votes_question_fkey foreign key (question_id) references questions (id) on delete cascade
);
create index question_votes_person on question_votes (person_id);

create table answer_votes (
  answer_id bigint,
  person_id bigint,
  voted_at timestamptz not null default now(),
  primary key (answer_id, person_id),
  constraint answer_votes_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint answer_votes_person_fkey foreign key (person_id) references people (id) on delete restrict
);
create index answer_votes_person on answer_votes (person_id);

-- Whom a post mentions: they are told of it, and follow the question from then on.
create table mentions (
  person_id bigint not null,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  mentioned_at timestamptz(3) not null,
  mentioned_by bigint references people (id) on delete restrict,
  constraint mentions_key unique nulls not distinct (question_id, answer_id, reply_id, person_id),
  constraint mentions_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint mentions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mentions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint mentions_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint mentions_one_post check (num_nonnulls(question_id, answer_id, reply_id) = 1)
);
comment on column mentions.mentioned_at is 'when the post was written, or the edit that mentions them';
comment on column mentions.mentioned_by is 'whose edit mentions them; null: the author of the post';
create index mentions_answer on mentions (answer_id, person_id) where answer_id is not null;
create index mentions_mentioned_by on mentions (mentioned_by) where mentioned_by is not null;
create index mentions_person on mentions (person_id);
create index mentions_reply on mentions (reply_id, person_id) where reply_id is not null;

create table images (
  id bigint generated always as identity primary key,
  name text not null unique,
  uploader_id bigint,
  sha256 bytea not null,
  fallback text not null,
  bytes integer not null,
  alt text not null,
  uploaded_at timestamptz not null default now(),
  webp_sha256 bytea,
  fallback_sha256 bytea,
  constraint images_uploader_fkey foreign key (uploader_id) references people (id) on delete set null,
  constraint images_alt_length check (char_length(alt) <= 300),
  constraint images_bytes_bounds check (bytes between 1 and 104857600),
  constraint images_digests_both check ((webp_sha256 is null) = (fallback_sha256 is null)),
  constraint images_digests_length check (octet_length(webp_sha256) = 32 and octet_length(fallback_sha256) = 32),
  constraint images_fallback_known check (fallback in ('png', 'jpg', 'gif')),
  constraint images_name_form check (name ~ '^[A-Za-z0-9_-]{22}-[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$'),
  constraint images_sha256_length check (octet_length(sha256) = 32)
);
comment on column images.name is 'random, with width and height, which pages reserve the room by';
comment on column images.sha256 is 'of the file that was uploaded';
comment on column images.fallback is 'the second file, for readers that do not know WebP';
comment on column images.bytes is 'of both files together';
comment on column images.webp_sha256 is 'of the file NAME.webp; null: kept before this was noted, and not read since';
comment on column images.fallback_sha256 is 'of the file NAME.FALLBACK';
create index images_undigested on images (id) where webp_sha256 is null;
create index images_uploaded on images (uploaded_at);
-- What one person uploaded today; what nobody posted in a day.
create index images_uploader on images (uploader_id, uploaded_at);

create table post_images (
  image_id bigint not null,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  is_shown boolean not null default true,
  announcement_id bigint,
  constraint post_images_key unique nulls not distinct (image_id, question_id, answer_id, reply_id, announcement_id),
  constraint post_images_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint post_images_image_fkey foreign key (image_id) references images (id) on delete restrict,
  constraint post_images_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint post_images_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint post_images_one_post check (num_nonnulls(question_id, answer_id, reply_id, announcement_id) = 1)
);
comment on column post_images.is_shown is 'false: an earlier version of the post shows it';
create index post_images_announcement on post_images (announcement_id) where announcement_id is not null;
create index post_images_answer on post_images (answer_id) where answer_id is not null;
create index post_images_question on post_images (question_id) where question_id is not null;
create index post_images_reply on post_images (reply_id) where reply_id is not null;

create table pins (
  question_id bigint primary key,
  course_id bigint not null,
  until timestamptz not null,
  pinned_by bigint not null references people (id) on delete restrict,
  constraint pins_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint pins_question_fkey foreign key (question_id) references questions (id) on delete cascade
);
create index pins_course on pins (course_id, until);
create index pins_pinned_by on pins (pinned_by);

-- Which post came from which row of a dump: a repeated import adds nothing twice.
create table imported_people (
  course_id bigint,
  source_id bigint,
  person_id bigint not null,
  primary key (course_id, source_id),
  constraint imported_people_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint imported_people_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index imported_people_person on imported_people (person_id);

create table imported_posts (
  course_id bigint,
  kind text,
  source_id bigint,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  primary key (course_id, kind, source_id),
  constraint imported_posts_answer_fkey foreign key (answer_id) references answers (id) on delete set null deferrable initially
    deferred,
  constraint imported_posts_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint imported_posts_question_fkey foreign key (question_id) references questions (id) on delete set null deferrable
    initially deferred,
  constraint imported_posts_reply_fkey foreign key (reply_id) references replies (id) on delete set null deferrable initially
    deferred,
  constraint imported_posts_kind_known check (kind in ('question', 'answer', 'reply')),
  constraint imported_posts_of_kind check ((question_id is null or kind = 'question') and (answer_id is null or kind = 'answer') and
    (reply_id is null or kind = 'reply'))
);
comment on table imported_posts is 'a row of a dump and the post that it became; none: it was removed here for good';
create unique index imported_posts_answer on imported_posts (answer_id) where answer_id is not null;
create unique index imported_posts_question on imported_posts (question_id) where question_id is not null;
create unique index imported_posts_reply on imported_posts (reply_id) where reply_id is not null;

-- How much somebody wrote in a course. A list of members would have to count all that staff ever answered at each view.
-- Staff alone see these numbers, so that private questions and anonymous posts count too: they see both under their authors' names.
create table course_authors (
  course_id bigint,
  person_id bigint,
  questions_count integer not null default 0,
  answers_count integer not null default 0,
  older_until timestamptz,
  older_questions integer not null default 0,
  older_question_votes integer not null default 0,
  older_answers integer not null default 0,
  older_answer_votes integer not null default 0,
  older_accepted integer not null default 0,
  older_endorsed integer not null default 0,
  primary key (course_id, person_id),
  constraint course_authors_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_authors_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint course_authors_answers_count_positive check (answers_count >= 0),
  constraint course_authors_questions_count_positive check (questions_count >= 0)
);
comment on table course_authors is 'what people wrote in courses that is shown; a member who wrote nothing may have no row';
comment on column course_authors.older_until is
  'the older_ columns are about posts written until then; the same in each course of a person';
create index course_authors_person on course_authors (person_id);

-- Lines of an email that weren't posted with it, for its author alone and for a day (src/forum/questions/left-out.ts).
create table left_out_texts (
  answer_id bigint,
  reply_id bigint,
  text text not null,
  made_at timestamptz not null default now(),
  constraint left_out_texts_answer_key unique (answer_id),
  constraint left_out_texts_reply_key unique (reply_id),
  constraint left_out_texts_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint left_out_texts_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint left_out_texts_one_post check (num_nonnulls(answer_id, reply_id) = 1),
  constraint left_out_texts_text_length check (char_length(text) between 1 and 65536)
);
create index left_out_texts_made on left_out_texts (made_at);

-- A form that is sent twice creates one post: the key is a hash of the person, the address, the form's token and its text.
create table posted_once (
  key bytea primary key,
  person_id bigint,
  path text not null default '',
  posted_at timestamptz not null default now(),
  constraint posted_once_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint posted_once_key_length check (octet_length(key) = 32),
  constraint posted_once_path_length check (char_length(path) <= 4000)
);
comment on column posted_once.person_id is 'null: a visitor';
comment on column posted_once.path is 'where the first one redirected to: the second redirects there, too';
create index posted_once_person on posted_once (person_id);
create index posted_once_posted on posted_once (posted_at);
