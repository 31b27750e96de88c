-- People are looked for by the beginning of any word of their name, whatever its case and accents: by:ilic finds Mara Ilić.
-- Letters that Unicode does not take apart into a letter and an accent are named. A blank stands before each word.
create function name_words(name text) returns text
language sql immutable strict parallel safe
return ' ' || translate(
  normalize(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g')), NFKC),
  'łøđıß-_.,''’\%', 'lodis        ');

drop index people_names;
create index people_name_words on people using gin (name_words(display_name) gin_trgm_ops);
