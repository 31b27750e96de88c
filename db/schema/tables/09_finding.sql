-- What search and similar questions are found by.

-- Ranking reads terms again and again: up to the size of a page they stay in the row, rather than compressed from 2 KB on.
create table search_documents (
  question_id bigint primary key,
  course_id bigint not null,
  terms tsvector not null,
  state smallint not null,
  score real not null default 0,
  places bigint[] not null generated always as (search_places(course_id, state::bigint, least(63::double precision,
    greatest(0::double precision, floor(score * 5::double precision)))::bigint)) stored,
  terms_version integer not null,
  constraint search_documents_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint search_documents_question_fkey foreign key (question_id) references questions (id) on delete cascade
) with (toast_tuple_target = 8160);
alter table search_documents alter column terms set storage main;
comment on column search_documents.terms is 'labels: A title, B tags, C accepted answer, D body, other answers, replies';
comment on column search_documents.state is
  'questions.state: 0 unresolved, 1 unanswered too, 2 resolved, 3 resolved and unanswered';
comment on column search_documents.score is 'how good a question is for any search: the order in which common words are read';
comment on column search_documents.places is
  'the same numbers as in src/forum/search/places.ts: in the forum and in the course, of this state and of any, for the level and its ranges';
comment on column search_documents.terms_version is 'TERMS_VERSION of the src/forum/search/document.ts that wrote it';
create index search_documents_course on search_documents (course_id);
-- Without a list of pending entries, which each search would read, up to 4 MB.
create index search_documents_terms on search_documents using gin (terms, places) with (fastupdate = off);

-- A word of a search that ended in opening a question. who: a keyed hash of person, question and word, so that no two rows can be told
-- to be one person's, and a day instead of a time, so that none can be told to be of one search.
create table search_openings (
  question_id bigint,
  word text,
  who bytea,
  lexemes text[] not null,
  opened_on date not null default current_date,
  primary key (question_id, word, who),
  constraint search_openings_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint search_openings_lexemes_count check (cardinality(lexemes) between 1 and 100),
  constraint search_openings_who_length check (octet_length(who) = 16),
  constraint search_openings_word_length check (char_length(word) between 1 and 60)
);
create index search_openings_lexemes on search_openings using gin (lexemes) with (fastupdate = off);
create index search_openings_opened on search_openings (opened_on);

-- Questions whose search document is behind: a row for each post that it lacks, written in the post's own transaction and
-- taken by a job soon after (src/forum/search/indexing.ts). Rows are only added and removed, never merged: two posts under
-- one question must not wait for each other, nor for the job. Without a foreign key: a question that is gone needs no
-- document, and the key's lock would cost a post more than the row.
create table search_queue (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  queued_at timestamptz not null default now()
);
comment on table search_queue is 'empty: replaced by jobs; version 0.2 writes here';

-- The number of documents with a term: it decides how a search runs and what a term weighs. Recounted now and then; a term
-- that is missing here is rare or new.
create table search_terms (
  term text primary key,
  documents_count integer not null,
  constraint search_terms_documents_count_positive check (documents_count >= 0)
);
create index search_terms_prefix on search_terms (term text_pattern_ops);

-- Words of titles and tags as they are spelt: for "did you mean" and for suggestions.
create table search_words (
  word text primary key,
  questions_count integer not null,
  constraint search_words_questions_count_positive check (questions_count >= 0)
);
create index search_words_prefix on search_words (word text_pattern_ops);
create index search_words_trigrams on search_words using gin (word gin_trgm_ops);

-- The words of the title that somebody was typing when they pressed "This answers mine" or "Same question here". They go with the
-- following, whatever ends it, and count while it says instead_of_asking (src/forum/search/learning).
create table asked_instead (
  question_id bigint,
  person_id bigint,
  lexemes text[] not null,
  asked_at timestamptz(3) not null default now(),
  primary key (question_id, person_id),
  constraint asked_instead_follow_fkey foreign key (question_id, person_id) references question_follows (question_id, person_id) on
    delete cascade,
  constraint asked_instead_lexemes_count check (cardinality(lexemes) between 1 and 400)
);
create index asked_instead_asked on asked_instead (asked_at);
create index asked_instead_lexemes on asked_instead using gin (lexemes) with (fastupdate = off);

-- The questions near a question are found once for all processes, and not again after each start. Unlogged: after a crash of the
-- server they are found again, and backups leave them out.
create unlogged table near_questions (
  question_id bigint primary key,
  text_hash bytea not null,
  near_ids bigint[] not null,
  found_at timestamptz not null default now(),
  constraint near_questions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint near_questions_near_ids_length check (cardinality(near_ids) <= 20),
  constraint near_questions_text_hash_length check (octet_length(text_hash) = 32)
);
comment on column near_questions.text_hash is 'SHA-256 of id, course, title, body and tags: another text has other near questions';
comment on column near_questions.near_ids is
  'the nearest first; may contain questions that were deleted or hidden since: readers filter';
create index near_questions_found on near_questions (found_at);

-- Vectors of questions, as the operator's embedding endpoint gives them (EMBEDDINGS_URL): what is found is ranked by them once more.
-- A vector of another model, or of an earlier version of its question, doesn't count and is made again (src/forum/search/embeddings).
create table question_vectors (
  question_id bigint primary key,
  model text not null,
  version integer not null,
  vector bytea not null,
  constraint question_vectors_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_vectors_model_length check (char_length(model) between 1 and 200),
  constraint question_vectors_vector_length check (octet_length(vector) between 4 and 16384 and (octet_length(vector) % 4) = 0)
);
comment on column question_vectors.version is 'of the question whose text was sent';
comment on column question_vectors.vector is 'of length 1, numbers of four bytes each, the least significant first';
