-- Finding questions: one document per question, of its title, tags, body, answers and replies, as terms of our own
-- (src/text/terms.ts).

-- A common word is in too many documents to rank all of them or to check the best one by one. So documents have places: the
-- class of a document in its course and in the forum, by state and score, and by ranges of four and of sixteen scores. The
-- index of terms contains them, so that it finds "this word among the best", of any state or course, without reading others.
create function search_places(course_id bigint, state bigint, level bigint) returns bigint[]
language sql immutable strict parallel safe
return array[
  state * 84 + level,                   state * 84 + 64 + level / 4,                   state * 84 + 80 + level / 16,
  4 * 84 + level,                       4 * 84 + 64 + level / 4,                       4 * 84 + 80 + level / 16,
  course_id * 512 + state * 84 + level, course_id * 512 + state * 84 + 64 + level / 4, course_id * 512 + state * 84 + 80 + level / 16,
  course_id * 512 + 4 * 84 + level,     course_id * 512 + 4 * 84 + 64 + level / 4,     course_id * 512 + 4 * 84 + 80 + level / 16
];

-- Ranking reads terms again and again: up to the size of a page they stay in the row, rather than compressed from 2 KB on.
create table search_documents (
  question_id bigint primary key,
  course_id bigint not null,
  terms tsvector not null,
  state smallint not null,
  score real not null default 0,
  places bigint[] not null generated always as (
    search_places(course_id, state, least(63, greatest(0, floor(score * 5)))::bigint)
  ) stored,
  terms_version integer not null,
  constraint search_documents_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint search_documents_course_fkey foreign key (course_id) references courses (id) on delete cascade
) with (toast_tuple_target = 8160);
alter table search_documents alter column terms set storage main;
comment on column search_documents.terms is 'labels: A title, B tags, C accepted answer, D body, other answers, replies';
comment on column search_documents.state is 'questions.state: 0 unresolved, 1 unanswered too, 2 resolved, 3 resolved and unanswered';
comment on column search_documents.score is 'how good a question is for any search: the order in which common words are read';
comment on column search_documents.places is 'the same numbers as in src/forum/search/places.ts: in the forum and in the course, of this state and of any, for the level and its ranges';
comment on column search_documents.terms_version is 'TERMS_VERSION of the src/forum/search/document.ts that wrote it';
-- Without a list of pending entries, which each search would read, up to 4 MB.
create index search_documents_terms on search_documents using gin (terms, places) with (fastupdate = off);

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
create index search_words_trigrams on search_words using gin (word gin_trgm_ops);
create index search_words_prefix on search_words (word text_pattern_ops);

-- Questions whose search document is behind: a row for each post that it lacks, written in the post's own transaction and
-- taken by a job soon after (src/forum/search/indexing.ts). Rows are only added and removed, never merged: two posts under
-- one question must not wait for each other, nor for the job. Without a foreign key: a question that is gone needs no
-- document, and the key's lock would cost a post more than the row.
create table search_queue (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  queued_at timestamptz not null default now()
);
