-- What a queue shows of a case: the beginning of its text as plain text, made once, so that nobody renders texts to look at a queue.
-- Cases of before are filled by a job (src/forum/cases/excerpts.ts).
alter table case_snapshots add column excerpt text,
  add constraint case_snapshots_excerpt_length check (char_length(excerpt) <= 240),
  add constraint case_snapshots_excerpt_redacted check (redacted_at is null or excerpt is null);
comment on column case_snapshots.excerpt is 'plain text; null: redacted, or of a person, or not made yet';
