-- What the ask form of a course begins with, as Markdown; empty: an empty field.
alter table courses
  add column question_template text not null default '',
  add constraint courses_question_template_length check (char_length(question_template) <= 2000);
