-- What the posts of someone who wrote very many come to, up to one of them, in each course: a profile reads the newest, and adds this.
-- Counted by the forum every hour (src/forum/people/older-posts.ts), of posts that a profile counts; null and 0: a profile reads all.
alter table course_authors
  add column older_until timestamptz,
  add column older_questions integer not null default 0,
  add column older_question_votes integer not null default 0,
  add column older_answers integer not null default 0,
  add column older_answer_votes integer not null default 0,
  add column older_accepted integer not null default 0,
  add column older_endorsed integer not null default 0;
comment on column course_authors.older_until is 'the older_ columns are about posts written until then; the same in each course of a person';
