-- A form whose text was posted keeps, for a while, what it was: the same text from there is no draft of another post.
alter table drafts add column posted_digest bytea,
  add constraint drafts_posted_digest_length check (octet_length(posted_digest) = 32) not valid;
comment on column drafts.posted_digest is 'of the title and body that were posted from here last; with it and without fields, the row is no draft';
