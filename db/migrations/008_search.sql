-- Finding questions: one document per question, of its title, tags, body, answers and replies, as terms we make ourselves
-- (src/text/terms.ts). It is rewritten in the transaction of whatever changes one of them.
create extension if not exists pg_trgm;

create table search_documents (
  question_id bigint primary key,
  course_id bigint not null,
  terms tsvector not null,
  score real not null default 0,
  terms_version integer not null,
  constraint search_documents_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint search_documents_course_fkey foreign key (course_id) references courses (id) on delete cascade
);
comment on column search_documents.terms is 'labels: A title, B tags, C accepted answer, D body, other answers, replies';
comment on column search_documents.score is 'how good a question is whatever is searched: the order in which common words are looked through';
comment on column search_documents.terms_version is 'TERMS_VERSION of src/forum/search/document.ts that made it';
create index search_documents_terms on search_documents using gin (terms);
create index search_documents_score on search_documents (score desc, question_id desc);
create index search_documents_course_score on search_documents (course_id, score desc, question_id desc);
-- A tsvector of a long thread is worth keeping in the row up to a page's third: ranking reads it.
alter table search_documents alter column terms set storage main;

-- How many documents have a term: which way a search goes, and how much a term tells. Counted anew now and then;
-- a term that is not here is rare or new.
create table search_terms (
  term text primary key,
  documents_count integer not null,
  constraint search_terms_documents_count_positive check (documents_count >= 0)
);

-- Words of titles and tags as they are spelt: for "did you mean" and for suggestions.
create table search_words (
  word text primary key,
  questions_count integer not null,
  constraint search_words_questions_count_positive check (questions_count >= 0)
);
create index search_words_trigrams on search_words using gin (word gin_trgm_ops);
create index search_words_prefix on search_words (word text_pattern_ops);
