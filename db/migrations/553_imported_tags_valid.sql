-- In steps
alter table imported_things validate constraint imported_things_tag_fkey;
alter table imported_things validate constraint imported_things_of_kind;
create index concurrently if not exists imported_things_tag on imported_things (tag_id) where tag_id is not null;
