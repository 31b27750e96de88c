-- question_desk.course_id is the question's, and its lecture one of this course. 234 validates this, and drops
-- question_desk_question_fkey, which it implies. Locked in the order in which a post locks them.
lock table lectures, questions, question_desk in share row exclusive mode;
alter table question_desk
  add constraint question_desk_question_course_fkey
    foreign key (question_id, course_id) references questions (id, course_id) on update cascade on delete cascade not valid,
  add constraint question_desk_lecture_fkey
    foreign key (course_id, lecture_id) references lectures (course_id, id) on delete set null (lecture_id) not valid;
