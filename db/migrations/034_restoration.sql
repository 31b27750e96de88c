-- Who deleted a post decides who may bring it back: staff always, its author for an hour after deleting it themselves
-- (src/rights/table.ts). A post that was deleted before this migration has no deleted_by: only staff bring it back.
alter table questions add column deleted_by bigint;
alter table answers add column deleted_by bigint, add column was_accepted boolean not null default false;
alter table replies add column deleted_by bigint;

alter table questions
  add constraint questions_deleted_by_fkey foreign key (deleted_by) references people (id) on delete set null,
  add constraint questions_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null);
alter table answers
  add constraint answers_deleted_by_fkey foreign key (deleted_by) references people (id) on delete set null,
  add constraint answers_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null),
  add constraint answers_was_accepted_of_deleted check (not was_accepted or deleted_at is not null);
alter table replies
  add constraint replies_deleted_by_fkey foreign key (deleted_by) references people (id) on delete set null,
  add constraint replies_deleted_by_of_deleted check (deleted_by is null or deleted_at is not null);

create index questions_deleted_by on questions (deleted_by) where deleted_by is not null;
create index answers_deleted_by on answers (deleted_by) where deleted_by is not null;
create index replies_deleted_by on replies (deleted_by) where deleted_by is not null;

comment on column questions.deleted_by is 'who hid the post; null: it is shown, or it is not known who did';
comment on column answers.deleted_by is 'who hid the post; null: it is shown, or it is not known who did';
comment on column replies.deleted_by is 'who hid the post; null: it is shown, or it is not known who did';
comment on column answers.was_accepted is 'was the accepted answer when it was deleted: it is accepted again when it is restored';
