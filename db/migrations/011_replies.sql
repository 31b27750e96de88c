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
  deleted_by bigint,
  version integer not null default 1,
  is_imported boolean not null default false,
  constraint replies_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint replies_answer_fkey foreign key (question_id, answer_id) references answers (question_id, id) on delete cascade,
  constraint replies_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint replies_deleted_by_fkey foreign key (deleted_by) references people (id) on delete set null,
  constraint replies_body_length check (char_length(body) between 1 and 5000 or is_imported and body <> ''),
  constraint replies_version_positive check (version > 0),
  constraint replies_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null)
);
comment on column replies.answer_id is 'null: under the question itself, asking back for a detail';
comment on column replies.deleted_by is 'who deleted the post; null: it is not deleted, or the account is gone';
create index replies_question on replies (question_id, written_at, id);
create index replies_answer on replies (question_id, answer_id);
create index replies_author on replies (author_id);
create index replies_deleted_by on replies (deleted_by) where deleted_by is not null;
create index replies_renderer_version on replies (renderer_version);
