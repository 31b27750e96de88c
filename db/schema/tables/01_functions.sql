-- Functions that indexes and generated columns use, before the tables.

create extension if not exists pg_trgm;

-- People are found by the beginning of any word of their name, regardless of case and accents: by:ilic finds Mara Ilić.
-- Letters that Unicode does not decompose into a letter and an accent are listed. A space precedes each word.
create function name_words(name text) returns text
language sql immutable strict parallel safe
return ' ' || translate(
  normalize(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g')), NFKC),
  'łøđıß-_.,''’\%', 'lodis        ');

-- Who can be mentioned is found by the letters that a word of the name begins with. A Korean syllable that is still being typed is
-- the beginning of the whole one once both are taken apart.
create function name_letters(name text) returns text
language sql immutable strict parallel safe
return normalize(name_words(name), NFKD);

-- Who is searched for by one or two letters: the indexes of three letters do not help there. Letters begin a word of the name, or
-- the address; in scripts that write a syllable or a word as one letter each of them is a word, as a Korean given name follows the
-- family name. The price keeps the planner from reading all names instead.
create function person_beginnings(name text, email text) returns tsvector
language sql immutable parallel safe cost 1000
return array_to_tsvector(array_remove(string_to_array(regexp_replace(
  name_words(name) || ' ' || coalesce(name_words(left(email, 2)), ''),
  '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])', ' \1 ', 'g'), ' '), ''));

-- Finding questions: one document per question, of its title, tags, body, answers and replies, as terms of our own
-- (src/text/terms.ts).
create function search_places(course_id bigint, state bigint, level bigint) returns bigint[]
language sql immutable strict parallel safe
return array[
  state * 84 + level,                   state * 84 + 64 + level / 4,                   state * 84 + 80 + level / 16,
  4 * 84 + level,                       4 * 84 + 64 + level / 4,                       4 * 84 + 80 + level / 16,
  course_id * 512 + state * 84 + level, course_id * 512 + state * 84 + 64 + level / 4, course_id * 512 + state * 84 + 80 + level / 16,
  course_id * 512 + 4 * 84 + level,     course_id * 512 + 4 * 84 + 64 + level / 4,     course_id * 512 + 4 * 84 + 80 + level / 16
];
