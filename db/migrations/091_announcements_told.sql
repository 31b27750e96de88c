-- An announcement is told as a question is: one row for a person and what it is about.
alter table notifications
  alter column question_id drop not null,
  add column announcement_id bigint,
  add constraint notifications_announcement_fkey foreign key (announcement_id) references announcements (id) on delete cascade,
  add constraint notifications_announcement_key unique (person_id, announcement_id),
  add constraint notifications_one_subject check (num_nonnulls(question_id, announcement_id) = 1),
  add constraint notifications_announcement_reason check ((announcement_id is not null) = (reason = 'announcement'));
create index notifications_announcement on notifications (announcement_id) where announcement_id is not null;
