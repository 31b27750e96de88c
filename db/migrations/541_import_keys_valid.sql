-- In steps
-- over questions
update imported_posts set external_id = null where question_id > $1 and question_id <= $2 and external_id is null;
-- over answers
update imported_posts set external_id = null where answer_id > $1 and answer_id <= $2 and external_id is null;
-- over replies
update imported_posts set external_id = null where reply_id > $1 and reply_id <= $2 and external_id is null;
-- over people
update imported_people set external_id = null where person_id > $1 and person_id <= $2 and external_id is null;
-- Of what was removed here for good; the trigger names each row.
update imported_posts set external_id = null where external_id is null;
update imported_people set external_id = null where external_id is null;
alter table imported_posts alter column source set not null, alter column origin set not null, alter column external_id set not null;
alter table imported_people alter column source set not null, alter column origin set not null, alter column external_id set not null;
create unique index concurrently if not exists imported_posts_key on imported_posts (course_id, source, origin, kind, external_id);
create unique index concurrently if not exists imported_people_key on imported_people (course_id, source, origin, external_id);
alter table imported_posts drop constraint if exists imported_posts_pkey,
  add constraint imported_posts_pkey primary key using index imported_posts_key;
alter table imported_people drop constraint if exists imported_people_pkey,
  add constraint imported_people_pkey primary key using index imported_people_key;
alter table imported_posts drop constraint if exists imported_posts_key_length, add constraint imported_posts_key_length
  check (source ~ '^[a-z]{1,32}$' and char_length(origin) between 1 and 500 and char_length(external_id) between 1 and 200) not valid;
alter table imported_people drop constraint if exists imported_people_key_length, add constraint imported_people_key_length
  check (source ~ '^[a-z]{1,32}$' and char_length(origin) between 1 and 500 and char_length(external_id) between 1 and 200) not valid;
alter table imported_posts validate constraint imported_posts_key_length;
alter table imported_people validate constraint imported_people_key_length;
-- Created again with the other triggers, from db/schema/functions.
drop trigger if exists imported_posts_name on imported_posts;
drop trigger if exists imported_people_name on imported_people;
