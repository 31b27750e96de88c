-- The questions near a question are found once for all processes, and not again after each start. Unlogged: after a crash of the
-- server they are found again, and backups leave them out.
create unlogged table near_questions (
  question_id bigint not null,
  text_hash bytea not null,
  near_ids bigint[] not null,
  found_at timestamptz not null default now(),
  constraint near_questions_pkey primary key (question_id),
  constraint near_questions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint near_questions_text_hash_length check (octet_length(text_hash) = 32),
  constraint near_questions_near_ids_length check (cardinality(near_ids) <= 20)
);
create index near_questions_found on near_questions (found_at);
comment on column near_questions.text_hash is 'SHA-256 of id, course, title, body and tags: another text has other near questions';
comment on column near_questions.near_ids is 'the nearest first; may contain questions that were deleted or hidden since: readers filter';
