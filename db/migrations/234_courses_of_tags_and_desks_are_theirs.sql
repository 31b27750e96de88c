-- In steps: rows are read while people post.
alter table question_tags validate constraint question_tags_question_course_fkey;
alter table question_desk validate constraint question_desk_question_course_fkey;
alter table question_desk validate constraint question_desk_lecture_fkey;
alter table question_tags drop constraint if exists question_tags_question_fkey;
alter table question_desk drop constraint if exists question_desk_question_fkey;
