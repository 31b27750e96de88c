-- What a question is found by beside its own words: what people typed who found their own question answered there, or who opened it
-- from a search.

-- The words of the title that somebody was typing when they pressed "This answers mine" or "Same question here". They go with the
-- following, whatever ends it, and count while it says instead_of_asking (src/forum/search/learning).
create table asked_instead (
  question_id bigint not null,
  person_id bigint not null,
  lexemes text[] not null,
  asked_at timestamptz(3) not null default now(),
  constraint asked_instead_pkey primary key (question_id, person_id),
  constraint asked_instead_follow_fkey foreign key (question_id, person_id)
    references question_follows (question_id, person_id) on delete cascade,
  constraint asked_instead_lexemes_count check (cardinality(lexemes) between 1 and 400)
);
create index asked_instead_lexemes on asked_instead using gin (lexemes) with (fastupdate = off);
create index asked_instead_asked on asked_instead (asked_at);

-- A word of a search that ended in opening a question. who: a keyed hash of person, question and word, so that no two rows can be told
-- to be one person's, and a day instead of a time, so that none can be told to be of one search.
create table search_openings (
  question_id bigint not null,
  word text not null,
  who bytea not null,
  lexemes text[] not null,
  opened_on date not null default current_date,
  constraint search_openings_pkey primary key (question_id, word, who),
  constraint search_openings_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint search_openings_word_length check (char_length(word) between 1 and 60),
  constraint search_openings_who_length check (octet_length(who) = 16),
  constraint search_openings_lexemes_count check (cardinality(lexemes) between 1 and 100)
);
create index search_openings_lexemes on search_openings using gin (lexemes) with (fastupdate = off);
create index search_openings_opened on search_openings (opened_on);
