-- Who has a mailbox shows it by opening a link sent there.
alter table people add column email_confirmed_at timestamptz;
alter table people add constraint people_confirmed_needs_email check (email_confirmed_at is null or email is not null);
comment on column people.email_confirmed_at is 'null: nobody has opened a link sent to this address yet';

-- Links sent by mail, each for one purpose and one use. As of sessions, only hashes of their tokens are kept.
create table mail_links (
  token_hash bytea primary key,
  person_id bigint not null,
  purpose text not null,
  email text not null,
  made_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint mail_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mail_links_token_hash_length check (octet_length(token_hash) = 32),
  constraint mail_links_purpose_known check (purpose in ('confirm-email', 'new-password', 'change-email', 'undo-email-change')),
  constraint mail_links_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position('@' in email) > 1)
);
comment on column mail_links.email is 'the address the link is about: to be confirmed, to become the new one, to become the old one again';
create index mail_links_person on mail_links (person_id, made_at);
create index mail_links_expires on mail_links (expires_at);
