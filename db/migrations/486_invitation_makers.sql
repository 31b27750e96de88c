-- Who made a link by which people join a course: it ends with a spammer's account.
alter table invitations add column made_by bigint;
alter table invitations add constraint invitations_maker_fkey foreign key (made_by) references people (id) on delete set null;
create index invitations_maker on invitations (made_by) where made_by is not null;
comment on column invitations.made_by is 'null: not known, or the account is gone';
