-- Links that work once. Only hashes of their tokens are stored, as with sessions.

-- Printed or passed on by an operator: signs a person in.
create table sign_in_links (
  token_hash bytea primary key,
  person_id bigint not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint sign_in_links_token_hash_length check (octet_length(token_hash) = 32)
);
create index sign_in_links_person on sign_in_links (person_id);
create index sign_in_links_expires on sign_in_links (expires_at);

-- Sent by mail, each for one purpose.
create table mail_links (
  token_hash bytea primary key,
  person_id bigint not null,
  purpose text not null,
  email text not null,
  was_confirmed boolean not null default false,
  made_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint mail_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mail_links_token_hash_length check (octet_length(token_hash) = 32),
  constraint mail_links_purpose_known
    check (purpose in ('confirm-email', 'new-password', 'change-email', 'undo-email-change', 'undo-second-factor')),
  constraint mail_links_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position('@' in email) > 1)
);
comment on column mail_links.email is 'the address the link is about: to be confirmed, the new one, or the previous one to return to';
comment on column mail_links.was_confirmed is
  'whether the account''s address was confirmed when the link was created: if not, an earlier user of the account may not own the mailbox';
create index mail_links_person on mail_links (person_id, made_at);
create index mail_links_expires on mail_links (expires_at);

-- The link to the first page of a new forum: one at a time, void as soon as there is an admin. Its token follows from SECRET
-- and the nonce, so that two first starts at once print the same link; the table alone does not reveal it.
create table set_up_links (
  is_only boolean primary key default true,
  token_hash bytea not null,
  nonce bytea not null default uuid_send(gen_random_uuid()),
  constraint set_up_links_only_one check (is_only),
  constraint set_up_links_token_hash_length check (octet_length(token_hash) = 32),
  constraint set_up_links_nonce_length check (octet_length(nonce) = 16)
);
