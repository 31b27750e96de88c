-- In steps
-- Of a post: its author was of the staff there and then. It gives no right and counts for nothing.
alter table questions add column if not exists was_staff boolean not null default false;
alter table answers add column if not exists was_staff boolean not null default false;
alter table replies add column if not exists was_staff boolean not null default false;
alter table questions drop constraint if exists questions_was_staff_there,
  add constraint questions_was_staff_there check (not was_staff or is_imported) not valid;
alter table answers drop constraint if exists answers_was_staff_there,
  add constraint answers_was_staff_there check (not was_staff or is_imported) not valid;
alter table replies drop constraint if exists replies_was_staff_there,
  add constraint replies_was_staff_there check (not was_staff or is_imported) not valid;
alter table questions validate constraint questions_was_staff_there;
alter table answers validate constraint answers_was_staff_there;
alter table replies validate constraint replies_was_staff_there;
comment on column questions.was_staff is
  'this and the same column of answers and replies: its author was of the staff where it was imported from; no right comes of it';
alter table imported_people add column if not exists role text;
alter table imported_people drop constraint if exists imported_people_role_known,
  add constraint imported_people_role_known check (role in ('learner', 'assistant', 'instructor')) not valid;
alter table imported_people validate constraint imported_people_role_known;
comment on column imported_people.role is 'what they were there and then: it gives no role here';
-- Old links lead to the posts: by their id there, or by what else addresses there call them.
alter table imported_posts add column if not exists addresses text[] not null default '{}';
alter table imported_posts drop constraint if exists imported_posts_addresses_few,
  add constraint imported_posts_addresses_few check (cardinality(addresses) <= 5) not valid;
alter table imported_posts validate constraint imported_posts_addresses_few;
comment on column imported_posts.addresses is 'what addresses there call it, beside its id';
create index concurrently if not exists imported_posts_source on imported_posts (source, external_id);
create index concurrently if not exists imported_posts_addresses on imported_posts using gin (addresses) where addresses <> '{}';
