-- Who can be mentioned is found by the letters that a word of the name begins with. A Korean syllable that is still being typed is
-- the beginning of the whole one once both are taken apart.
create function name_letters(name text) returns text
language sql immutable strict parallel safe
return normalize(name_words(name), NFKD);
create index people_name_letters on people using gin (name_letters(display_name) gin_trgm_ops);
