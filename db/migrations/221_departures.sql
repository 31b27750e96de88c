-- What somebody takes along is purged: of the post only its place stays, without text, versions, pictures or tags, and it cannot
-- be restored. Purging is done in steps after the account was closed; a row of departures says that they are not all done.
create table departures (
  person_id bigint not null,
  takes_posts boolean not null,
  former_name text not null,
  begun_at timestamptz not null default now(),
  constraint departures_pkey primary key (person_id),
  constraint departures_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint departures_former_name_length check (char_length(former_name) between 1 and 50)
);
comment on column departures.former_name is 'under which posts stand that stay, and where posts mention the person';

-- 222 validates these, without keeping readers and writers out.
alter table questions add column purged_at timestamptz,
  add constraint questions_purged_is_empty check (
    purged_at is null or (deleted_at is not null and title = '---' and body = '-' and edit_reason is null)) not valid;
alter table answers add column purged_at timestamptz,
  add constraint answers_purged_is_empty check (
    purged_at is null or (deleted_at is not null and body = '-' and edit_reason is null)) not valid;
alter table replies add column purged_at timestamptz,
  add constraint replies_purged_is_empty check (
    purged_at is null or (deleted_at is not null and body = '-' and edit_reason is null)) not valid;
comment on column questions.purged_at is 'when the text was removed for good; null: it is there, perhaps hidden';
comment on column answers.purged_at is 'when the text was removed for good; null: it is there, perhaps hidden';
comment on column replies.purged_at is 'when the text was removed for good; null: it is there, perhaps hidden';

-- Accounts whose deletion broke off before this version, and whose posts were refused since: they go on as before.
update people set left_at = null where left_at is not null and email is not null;
-- What people took along before this version was only hidden: it is purged now.
insert into departures (person_id, takes_posts, former_name)
select id, true, display_name from people as person
where left_at is not null and email is null
  and (exists (select from questions where author_id = person.id and deleted_by = person.id)
    or exists (select from answers where author_id = person.id and deleted_by = person.id)
    or exists (select from replies where author_id = person.id and deleted_by = person.id))
  and not exists (select from questions where author_id = person.id and deleted_at is null)
  and not exists (select from answers where author_id = person.id and deleted_at is null)
  and not exists (select from replies where author_id = person.id and deleted_at is null);
update people set mail_stopped_for = null where left_at is not null and mail_stopped_for is not null;
