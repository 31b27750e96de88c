-- From how many lines of code on a learner is asked, before an answer is posted, whether it gives away an assignment.
alter table courses add column asks_about_code integer;
alter table courses add constraint courses_asks_about_code_bounds check (asks_about_code between 1 and 1000);
comment on column courses.asks_about_code is 'lines of code of an answer; with more, learners are asked whether it gives away an assignment. null: no one is';
