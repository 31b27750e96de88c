-- In steps: a vote was written into the index of each list that may be sorted by votes, and into each tag of its question with six
-- indexes more. Of a lecture and of a tag, what is sorted by votes or views is read and sorted; of the desk, what waits of a lecture
-- is found among what waits of its course.

drop index concurrently if exists questions_lecture_votes;
drop index concurrently if exists questions_lecture_views;
drop index concurrently if exists question_tags_votes;
drop index concurrently if exists question_tags_views;
drop index concurrently if exists question_desk_lecture_asker;
drop index concurrently if exists question_desk_lecture_classmates;
drop index concurrently if exists question_desk_lecture_replied;
drop index concurrently if exists question_desk_lecture_snoozed;
drop index concurrently if exists question_desk_lecture_waiting;

-- The version before this one still sorts by them, for the minutes of an upgrade without downtime.
alter table question_tags alter column votes set default 0, alter column views set default 0;
comment on column question_tags.votes is 'not kept any more: to be dropped by the version after 0.4';
comment on column question_tags.views is 'not kept any more: to be dropped by the version after 0.4';
