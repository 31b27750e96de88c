-- In steps: the admins' list of accounts has tabs, each read page by page in the order of ids.
create index concurrently if not exists course_members_of_staff on course_members (person_id) where role <> 'learner';
create index concurrently if not exists people_to_confirm on people (id) where email is not null and email_confirmed_at is null;
