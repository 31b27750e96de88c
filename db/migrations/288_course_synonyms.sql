-- Words that mean the same in a course, a group a line with = between them: what its instructor adds to src/text/synonyms.txt.
alter table courses
  add column synonyms text not null default '',
  add constraint courses_synonyms_length check (char_length(synonyms) <= 4000);
comment on column courses.synonyms is 'one group a line: word = word = word';
