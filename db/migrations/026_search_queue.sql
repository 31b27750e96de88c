-- Questions whose search document is behind: a row for each post that is not in it yet, written in the post's own
-- transaction and taken by a job soon after (src/forum/search/indexing.ts). Rows are only ever added and removed, never merged: two
-- posts under one question must not wait for each other, nor for the job. Without a foreign key: a question that is gone has
-- no document to make, and its lock would cost a post more than the row.
create table search_queue (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  queued_at timestamptz not null default now()
);
