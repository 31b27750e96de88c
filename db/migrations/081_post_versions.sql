-- What posts said before they were edited: the text that an edit replaced, with its own time, writer and reason.

alter table questions
  add column edited_by bigint,
  add column edit_reason text,
  add constraint questions_edited_by_fkey foreign key (edited_by) references people (id) on delete restrict,
  add constraint questions_edit_reason_length check (char_length(edit_reason) between 1 and 200);
alter table answers
  add column edited_by bigint,
  add column edit_reason text,
  add constraint answers_edited_by_fkey foreign key (edited_by) references people (id) on delete restrict,
  add constraint answers_edit_reason_length check (char_length(edit_reason) between 1 and 200);
alter table replies
  add column edited_by bigint,
  add column edit_reason text,
  add constraint replies_edited_by_fkey foreign key (edited_by) references people (id) on delete restrict,
  add constraint replies_edit_reason_length check (char_length(edit_reason) between 1 and 200);
comment on column questions.edited_by is 'whose edit made the present text; null: nobody edited it';
comment on column questions.edit_reason is 'why, in that person''s words; null: they did not say';
create index questions_edited_by on questions (edited_by) where edited_by is not null;
create index answers_edited_by on answers (edited_by) where edited_by is not null;
create index replies_edited_by on replies (edited_by) where edited_by is not null;

create table post_versions (
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  version integer not null,
  title text,
  body text,
  tags text[],
  written_by bigint not null,
  written_at timestamptz not null,
  reason text,
  redacted_at timestamptz,
  redacted_by bigint,
  constraint post_versions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint post_versions_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint post_versions_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint post_versions_written_by_fkey foreign key (written_by) references people (id) on delete restrict,
  constraint post_versions_redacted_by_fkey foreign key (redacted_by) references people (id) on delete restrict,
  constraint post_versions_one_post check (num_nonnulls(question_id, answer_id, reply_id) = 1),
  constraint post_versions_key unique nulls not distinct (question_id, answer_id, reply_id, version),
  constraint post_versions_number check (version >= 1),
  constraint post_versions_whole check (
    (question_id is null and title is null and tags is null) or redacted_at is not null or (title is not null and tags is not null)),
  constraint post_versions_redacted check (
    (redacted_at is null) = (redacted_by is null) and (redacted_at is null) = (body is not null)),
  constraint post_versions_redacted_whole check (redacted_at is null or (title is null and tags is null and reason is null))
);
comment on column post_versions.version is 'the post''s version that this was';
comment on column post_versions.redacted_at is 'when staff removed the text; who wrote when stays';
create index post_versions_answer on post_versions (answer_id, version) where answer_id is not null;
create index post_versions_reply on post_versions (reply_id, version) where reply_id is not null;
create index post_versions_written_by on post_versions (written_by);
