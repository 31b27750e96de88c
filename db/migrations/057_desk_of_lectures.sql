-- A lecture's part of the desk, for each view that may hold many.
create index question_desk_lecture_classmates on question_desk (lecture_id, classmates_since, question_id)
  where classmates_since is not null;
create index question_desk_lecture_snoozed on question_desk (lecture_id, snoozed_until, question_id)
  where snoozed_until is not null;
