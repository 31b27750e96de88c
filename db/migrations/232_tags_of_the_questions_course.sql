-- question_tags.course_id is the question's. 234 validates this, and drops question_tags_question_fkey, which it implies.
-- Locked in the order in which a post locks them.
lock table questions, question_tags in share row exclusive mode;
alter table question_tags add constraint question_tags_question_course_fkey
  foreign key (question_id, course_id) references questions (id, course_id) on update cascade on delete cascade not valid;
