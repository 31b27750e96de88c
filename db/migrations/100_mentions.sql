-- Whom a post mentions: people who may read it and are in its course, or wrote in its thread under their name. Kept when the text
-- mentions them no longer, so that nobody is told twice of one post.

create table mentions (
  person_id bigint not null,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  mentioned_by bigint not null,
  mentioned_at timestamptz(3) not null default now(),
  constraint mentions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mentions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint mentions_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint mentions_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint mentions_mentioned_by_fkey foreign key (mentioned_by) references people (id) on delete restrict,
  constraint mentions_one_post check (num_nonnulls(question_id, answer_id, reply_id) = 1),
  constraint mentions_key unique nulls not distinct (person_id, question_id, answer_id, reply_id)
);
comment on column mentions.mentioned_by is 'who wrote the text or the edit that mentions them';
create index mentions_question on mentions (question_id) where question_id is not null;
create index mentions_answer on mentions (answer_id) where answer_id is not null;
create index mentions_reply on mentions (reply_id) where reply_id is not null;
create index mentions_mentioned_by on mentions (mentioned_by);

-- Who can be mentioned is found by the letters that a name begins with. A Korean syllable that is still being typed is the
-- beginning of the whole one once both are taken apart.
create function name_letters(name text) returns text
language sql immutable strict parallel safe
return normalize(name_words(name), NFKD);
create index people_name_letters on people using gin (name_letters(display_name) gin_trgm_ops);
