-- Who is searched for by one or two letters: the indexes of three letters do not help there. Letters begin a word of the name, or
-- the address; in scripts that write a syllable or a word as one letter each of them is a word, as a Korean given name follows the
-- family name. The price keeps the planner from reading all names instead.
create function person_beginnings(name text, email text) returns tsvector
language sql immutable parallel safe cost 1000
return array_to_tsvector(array_remove(string_to_array(regexp_replace(
  name_words(name) || ' ' || coalesce(name_words(left(email, 2)), ''),
  '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])', ' \1 ', 'g'), ' '), ''));
create index people_beginnings on people using gin (person_beginnings(display_name, email));
-- How frequent a letter is, is in the statistics of the index.
analyze people;
