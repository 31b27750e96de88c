-- In steps
alter table course_tags validate constraint course_tags_description_length;
