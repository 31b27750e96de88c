-- In steps: what 323_notifications_of_cases.sql leaves to be checked and built while others write.
alter table notifications validate constraint notifications_case_fkey;
alter table notifications validate constraint notifications_one_subject;
alter table notifications validate constraint notifications_case_reason;
alter table notifications validate constraint notifications_reason_known;
create unique index concurrently if not exists notifications_case_key on notifications (person_id, case_id);
create index concurrently if not exists notifications_case on notifications (case_id) where case_id is not null;
