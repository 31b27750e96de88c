-- An admin's redaction of a case empties what its reporters wrote, in objections to the outcome as well.
alter table objections drop constraint objections_texts_length;
alter table objections add constraint objections_texts_length check (
  char_length(note) <= 5000 and (note <> '' or measure_id is null) and char_length(answer) <= 5000) not valid;
