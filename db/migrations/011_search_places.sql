-- A common word is in so many documents that neither all of them can be ranked, nor the best be looked for one by one.
-- places says in which class of its course and of the forum a document is, by state and score; the index of terms knows
-- them too, so that it finds "this word among the best", of whatever state or course, without touching the others.
alter table search_documents add column state smallint not null default 0;
update search_documents set state = q.state from questions as q where q.id = question_id;
alter table search_documents alter column state drop default;
comment on column search_documents.state is 'questions.state: 0 unresolved, 1 unanswered too, 2 resolved, 3 resolved and unanswered';

alter table search_documents add column places bigint[] not null generated always as (array[
  state * 64 + least(63, greatest(0, floor(score * 5)))::bigint,
  course_id * 256 + state * 64 + least(63, greatest(0, floor(score * 5)))::bigint
]) stored;
comment on column search_documents.places is 'the same number of src/forum/search/places.ts for the forum and for the course';

drop index search_documents_terms, search_documents_score, search_documents_course_score;
-- Without a list of what is to be indexed later: each search would read all of it, up to 4 MB.
create index search_documents_terms on search_documents using gin (terms, places) with (fastupdate = off);

-- Ranking reads terms again and again: up to a page's size they stay as they are, rather than packed from 2 KB on.
alter table search_documents set (toast_tuple_target = 8160);

-- What a beginning stands for, and who is called so.
create index search_terms_prefix on search_terms (term text_pattern_ops);
create index people_names on people using gin (lower(display_name) gin_trgm_ops);
