-- What an import brought is known by its source, the site there (origin) and its id as text: two sites may use one number.
-- source_id is for the version before this one, to be dropped by the version after 0.4.
alter table imported_posts add column source text, add column origin text, add column external_id text;
alter table imported_people add column source text, add column origin text, add column external_id text;
alter table imported_posts drop constraint imported_posts_pkey;
alter table imported_people drop constraint imported_people_pkey;
alter table imported_posts alter column source_id drop not null;
alter table imported_people alter column source_id drop not null;
create or replace function name_imported() returns trigger language plpgsql as $$
begin
  if new.external_id is null then
    new.source := 'stackexchange';
    new.origin := (select slug from courses where id = new.course_id);
    new.external_id := new.source_id::text;
  end if;
  return new;
end $$;
create or replace trigger imported_posts_name before insert or update on imported_posts for each row execute function name_imported();
create or replace trigger imported_people_name before insert or update on imported_people for each row execute function name_imported();
comment on column imported_posts.source is 'the kind of forum that it comes from: stackexchange, handup, piazza…';
comment on column imported_posts.origin is 'which site and course of that kind, in which ids are unique';
comment on column imported_posts.external_id is 'its id there';
comment on column imported_posts.source_id is 'external_id, as the version before this one writes it; null: this one did';
comment on column imported_people.source_id is 'external_id, as the version before this one writes it; null: this one did';
