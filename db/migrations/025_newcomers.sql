-- Who made an account for themselves posts more slowly, and with fewer links, on their first day.
alter table people add column new_until timestamptz;
comment on column people.new_until is 'null: an operator, a set-up or an import made the account; until then limits for newcomers hold';
