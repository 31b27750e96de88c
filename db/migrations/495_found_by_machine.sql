-- Statements of reasons say whether a machine found what was decided about.
alter table cases add column is_found_by_machine boolean not null default false;
comment on column cases.is_found_by_machine is 'its post was held for what was noticed in it when staff decided';
