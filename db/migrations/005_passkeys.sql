-- Passkeys (WebAuthn Level 3): a device or a password manager holds the private key; the public key is stored here.

-- The name by which authenticators know a person: random, so that it reveals nothing (WebAuthn Level 3, 14.6.1).
create table passkey_holders (
  person_id bigint primary key,
  handle bytea not null,
  constraint passkey_holders_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint passkey_holders_handle_key unique (handle),
  constraint passkey_holders_handle_length check (octet_length(handle) = 32)
);

create table passkeys (
  id bigint generated always as identity primary key,
  person_id bigint not null,
  name text not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  is_backup_eligible boolean not null,
  is_backed_up boolean not null,
  added_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint passkeys_holder_fkey foreign key (person_id) references passkey_holders (person_id) on delete cascade,
  constraint passkeys_credential_id_key unique (credential_id),
  constraint passkeys_name_length check (char_length(name) between 1 and 50),
  constraint passkeys_credential_id_length check (octet_length(credential_id) between 1 and 1023),
  constraint passkeys_public_key_length check (octet_length(public_key) between 1 and 4096),
  constraint passkeys_counter_range check (counter between 0 and 4294967295),
  constraint passkeys_transports_known check (transports <@ array['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']),
  constraint passkeys_backed_up_only_if_eligible check (is_backup_eligible or not is_backed_up)
);
comment on column passkeys.public_key is 'in COSE form (RFC 9052)';
comment on column passkeys.counter is 'signatures counted by the authenticator, or always 0: a counter that decreases means a copy';
comment on column passkeys.is_backup_eligible is 'whether it may be on several devices; never changes';
create index passkeys_person on passkeys (person_id);

-- Challenges that were answered: each is valid once. Kept for longer than any is valid.
create table answered_challenges (
  token_hash bytea primary key,
  answered_at timestamptz not null default now(),
  constraint answered_challenges_token_hash_length check (octet_length(token_hash) = 32)
);
create index answered_challenges_answered on answered_challenges (answered_at);
