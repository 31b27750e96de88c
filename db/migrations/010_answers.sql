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
  deleted_by bigint,
  was_accepted boolean not null default false,
  version integer not null default 1,
  is_imported boolean not null default false,
  constraint answers_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint answers_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint answers_deleted_by_fkey foreign key (deleted_by) references people (id) on delete set null,
  constraint answers_question_key unique (question_id, id),
  constraint answers_body_length check (char_length(body) between 1 and 30000 or is_imported and body <> ''),
  constraint answers_version_positive check (version > 0),
  constraint answers_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null),
  constraint answers_was_accepted_of_deleted check (not was_accepted or deleted_at is not null)
);
comment on column answers.deleted_by is 'who deleted the post; null: it is not deleted, or the account is gone';
comment on column answers.was_accepted is 'was the accepted answer when it was deleted: restoring it accepts it again';
create index answers_author_written on answers (author_id, written_at, id) where deleted_at is null;
create index answers_deleted_by on answers (deleted_by) where deleted_by is not null;
create index answers_renderer_version on answers (renderer_version);

alter table questions add constraint questions_accepted_answer_fkey
  foreign key (id, accepted_answer_id) references answers (question_id, id) on delete set null (accepted_answer_id);
create index questions_accepted_answer on questions (accepted_answer_id) where accepted_answer_id is not null;
