-- "Among the best" was asked for with a class for each state and level of score: up to 256 of them, which cost the index
-- more than the words. Levels have ranges of four and of sixteen now, and states one class for all of them, so that nine
-- classes say it.
create function search_places(course_id bigint, state bigint, level bigint) returns bigint[]
language sql immutable strict parallel safe
return array[
  state * 84 + level,                   state * 84 + 64 + level / 4,                   state * 84 + 80 + level / 16,
  4 * 84 + level,                       4 * 84 + 64 + level / 4,                       4 * 84 + 80 + level / 16,
  course_id * 512 + state * 84 + level, course_id * 512 + state * 84 + 64 + level / 4, course_id * 512 + state * 84 + 80 + level / 16,
  course_id * 512 + 4 * 84 + level,     course_id * 512 + 4 * 84 + 64 + level / 4,     course_id * 512 + 4 * 84 + 80 + level / 16
];

drop index search_documents_terms;
alter table search_documents drop column places;
alter table search_documents add column places bigint[] not null generated always as (
  search_places(course_id, state, least(63, greatest(0, floor(score * 5)))::bigint)
) stored;
comment on column search_documents.places is 'the same numbers as in src/forum/search/places.ts: in the forum and in the course, of this state and of any, for the level and its ranges';
create index search_documents_terms on search_documents using gin (terms, places) with (fastupdate = off);
