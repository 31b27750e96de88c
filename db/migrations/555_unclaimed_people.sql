-- Whom an import brings has a name and no account, until somebody claims what they wrote under the address that came with it.
alter table people add column is_unclaimed boolean not null default false;
comment on column people.is_unclaimed is
  'came with an import: a name that is nobody''s account, in no list of people; stays true of one whose posts were claimed, whose account is closed (left_at)';
alter table people add constraint people_unclaimed_without_address check (not is_unclaimed or email is null) not valid;

create table imported_addresses (
  person_id bigint primary key references people (id) on delete cascade,
  email text not null,
  given_at timestamptz(3) not null default now(),
  constraint imported_addresses_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position('@' in email) > 1)
);
comment on table imported_addresses is
  'addresses of unclaimed people, only to offer them what they wrote: no one sees them, and they go as that is claimed or refused';
create index imported_addresses_email on imported_addresses (email);
create index imported_addresses_given on imported_addresses (given_at);
