-- Who somebody is, how they sign in, and what ends it.

-- People who read, ask and answer. A person without an e-mail address came with an import and cannot sign in.
create table people (
  id bigint generated always as identity primary key,
  display_name text not null,
  email text unique,
  email_confirmed_at timestamptz,
  password_hash text,
  access_version integer not null default 1,
  is_admin boolean not null default false,
  language text,
  time_zone text,
  theme text not null default 'system',
  questions_count integer not null default 0,
  answers_count integer not null default 0,
  joined_at timestamptz not null default now(),
  new_until timestamptz,
  left_at timestamptz,
  mail_rhythm text not null default 'soon',
  mails_off text[] not null default '{}',
  mail_stopped_for text,
  constraint people_answers_count_positive check (answers_count >= 0),
  constraint people_confirmed_needs_email check (email_confirmed_at is null or email is not null),
  constraint people_display_name_length check (char_length(display_name) between 1 and 50),
  constraint people_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position(('@') in (email)) >
    1),
  constraint people_language_known check (language in ('en', 'ko')),
  constraint people_mail_rhythm_known check (mail_rhythm in ('soon', 'daily', 'weekly', 'never')),
  constraint people_mails_off_few check (cardinality(mails_off) <= 20),
  constraint people_password_needs_email check (password_hash is null or email is not null),
  constraint people_questions_count_positive check (questions_count >= 0),
  constraint people_theme_known check (theme in ('system', 'light', 'dark')),
  constraint people_time_zone_length check (char_length(time_zone) between 1 and 64)
);
comment on column people.email_confirmed_at is
  'null: the owner of the mailbox has not confirmed the address, neither by a link sent to it nor by one that an operator passed on; an operator who creates an account confirms its address';
comment on column people.access_version is
  'grows when earlier proofs of identity become void: a new password, a second factor, an account taken back';
comment on column people.language is 'null: the language of the browser';
comment on column people.time_zone is 'IANA name; null: the course''s';
comment on column people.new_until is
  'until then the limits for newcomers hold; null: an operator, a set-up or an import created the account';
comment on column people.left_at is
  'when the owner asked to delete the account; null: not asked. A post locks the row and requires null';
comment on column people.mails_off is 'reasons of notifications (and ''week'') of which no mail tells';
comment on column people.mail_stopped_for is
  'the address that three mails in a row came back from: it gets no more mail of what is new';
-- Who is staff in every course.
create index people_admins on people (id) where is_admin;
create index people_beginnings on people using gin (person_beginnings(display_name, email));
create index people_called on people (name_letters(display_name));
create index people_email_parts on people using gin (email gin_trgm_ops);
create index people_name_letters on people using gin (name_letters(display_name) gin_trgm_ops);
-- Members and accounts are searched by any part of their name or address.
create index people_name_parts on people using gin (display_name gin_trgm_ops);
create index people_name_words on people using gin (name_words(display_name) gin_trgm_ops);
create index people_to_confirm on people (id) where email is not null and email_confirmed_at is null;
create index people_unconfirmed on people (joined_at) where email is not null and email_confirmed_at is null;

-- How often somebody did something that is limited, counted for all processes together. Unlogged: a crash resets the counts.
create unlogged table tries (
  key bytea primary key,
  count integer not null,
  ends_at timestamptz not null,
  constraint tries_count_positive check (count > 0),
  constraint tries_key_length check (octet_length(key) = 32)
);
comment on column tries.key is 'SHA-256 of what is limited and for whom: no address or e-mail is stored here';
comment on column tries.ends_at is 'when the count restarts, however often it is tried';
create index tries_ends on tries (ends_at);

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
  next_path text,
  constraint mail_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mail_links_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position(('@') in
    (email)) > 1),
  constraint mail_links_next_path_form check (next_path ~~ '/%' and char_length(next_path) <= 4000),
  constraint mail_links_purpose_known check (purpose in ('confirm-email', 'new-password', 'change-email', 'undo-email-change',
    'undo-second-factor')),
  constraint mail_links_token_hash_length check (octet_length(token_hash) = 32)
);
comment on column mail_links.email is
  'the address the link is about: to be confirmed, the new one, or the previous one to return to';
comment on column mail_links.was_confirmed is
  'whether the account''s address was confirmed when the link was created: if not, an earlier user of the account may not own the mailbox';
comment on column mail_links.next_path is 'of a link that confirms an address: the page its owner was asked on; null: none';
create index mail_links_expires on mail_links (expires_at);
create index mail_links_person on mail_links (person_id, made_at);

-- The link to the first page of a new forum: one at a time, void as soon as there is an admin. Its token follows from SECRET
-- and the nonce, so that two first starts at once print the same link; the table alone does not reveal it.
create table set_up_links (
  is_only boolean default true primary key,
  token_hash bytea not null,
  nonce bytea not null default uuid_send(gen_random_uuid()),
  expires_at timestamptz not null default now() + '01:00:00'::interval,
  constraint set_up_links_nonce_length check (octet_length(nonce) = 16),
  constraint set_up_links_only_one check (is_only),
  constraint set_up_links_token_hash_length check (octet_length(token_hash) = 32)
);

-- Printed or passed on by an operator: signs a person in.
create table sign_in_links (
  token_hash bytea primary key,
  person_id bigint not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint sign_in_links_token_hash_length check (octet_length(token_hash) = 32)
);
create index sign_in_links_expires on sign_in_links (expires_at);
create index sign_in_links_person on sign_in_links (person_id);

-- Only hashes of tokens are stored: nobody can sign in with what this table holds.
create table sessions (
  token_hash bytea primary key,
  person_id bigint not null,
  signed_in_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  user_agent text not null default '',
  is_from_link boolean not null default false,
  passkey_at timestamptz,
  proof text,
  proved_at timestamptz,
  constraint sessions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint sessions_proof_has_time check ((proof is null) = (proved_at is null)),
  constraint sessions_proof_known check (proof in ('link', 'passkey', 'provider', 'fresh-provider', 'password')),
  constraint sessions_token_hash_length check (octet_length(token_hash) = 32),
  constraint sessions_user_agent_length check (char_length(user_agent) <= 300)
);
comment on column sessions.is_from_link is 'replaced by proof, and written by the previous version only';
comment on column sessions.passkey_at is 'replaced by proof, and written by the previous version only';
comment on column sessions.proof is 'what showed who the person is and replaces the password for a while; null: nothing';
comment on column sessions.proved_at is 'when it did';
create index sessions_last_seen on sessions (last_seen_at);
create index sessions_person on sessions (person_id);

-- A form may arrive with the cookie of a session that has ended: its owner stays known as long as that cookie lives.
create table ended_sessions (
  token_hash bytea primary key,
  person_id bigint not null,
  ended_at timestamptz not null default now(),
  constraint ended_sessions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint ended_sessions_token_hash_length check (octet_length(token_hash) = 32)
);
create index ended_sessions_ended on ended_sessions (ended_at);
create index ended_sessions_person on ended_sessions (person_id);

-- Sign-ins whose password or link was right and whose second factor is still missing.
create table half_sign_ins (
  token_hash bytea primary key,
  person_id bigint not null,
  way text not null,
  path text not null,
  tries integer not null default 0,
  begun_at timestamptz not null default now(),
  linked_account_id bigint,
  provider_sid text,
  constraint half_sign_ins_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint half_sign_ins_account_of_provider check ((way in ('provider', 'fresh-provider')) = (linked_account_id is not null)),
  constraint half_sign_ins_path_length check (char_length(path) <= 4000),
  constraint half_sign_ins_provider_sid_length check (char_length(provider_sid) between 1 and 255),
  constraint half_sign_ins_token_hash_length check (octet_length(token_hash) = 32),
  constraint half_sign_ins_tries_positive check (tries >= 0),
  constraint half_sign_ins_way_known check (way in ('password', 'link', 'provider', 'fresh-provider'))
);
create index half_sign_ins_account on half_sign_ins (linked_account_id) where linked_account_id is not null;
create index half_sign_ins_begun on half_sign_ins (begun_at);
create index half_sign_ins_person on half_sign_ins (person_id);

-- Challenges that were answered: each is valid once. Kept for longer than any is valid.
create table answered_challenges (
  token_hash bytea primary key,
  answered_at timestamptz not null default now(),
  constraint answered_challenges_token_hash_length check (octet_length(token_hash) = 32)
);
create index answered_challenges_answered on answered_challenges (answered_at);

-- The name by which authenticators know a person: random, so that it reveals nothing (WebAuthn Level 3, 14.6.1).
create table passkey_holders (
  person_id bigint primary key,
  handle bytea not null unique,
  constraint passkey_holders_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint passkey_holders_handle_length check (octet_length(handle) = 32)
);

create table passkeys (
  id bigint generated always as identity primary key,
  person_id bigint not null,
  name text not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  is_backup_eligible boolean not null,
  is_backed_up boolean not null,
  added_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint passkeys_holder_fkey foreign key (person_id) references passkey_holders (person_id) on delete cascade,
  constraint passkeys_backed_up_only_if_eligible check (is_backup_eligible or not is_backed_up),
  constraint passkeys_counter_range check (counter >= 0 and counter <= '4294967295'::bigint),
  constraint passkeys_credential_id_length check (octet_length(credential_id) between 1 and 1023),
  constraint passkeys_name_length check (char_length(name) between 1 and 50),
  constraint passkeys_public_key_length check (octet_length(public_key) between 1 and 4096),
  constraint passkeys_transports_known check (transports <@ array['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
);
comment on column passkeys.public_key is 'in COSE form (RFC 9052)';
comment on column passkeys.counter is 'signatures counted by the authenticator, or always 0: a counter that decreases means a copy';
comment on column passkeys.is_backup_eligible is 'whether it may be on several devices; never changes';
create index passkeys_person on passkeys (person_id);

-- An authenticator app beside the password. Its secret must be readable to check codes.
create table second_factors (
  person_id bigint primary key,
  secret bytea not null,
  made_at timestamptz not null default now(),
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  constraint second_factors_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint second_factors_secret_length check (octet_length(secret) = 20 or octet_length(secret) between 30 and 255)
);
comment on column second_factors.secret is 'sealed; 20 bytes: as it is, of a version that did not seal it';
comment on column second_factors.confirmed_at is 'null: the app has not shown a right code yet, and sign-in asks for none';
comment on column second_factors.last_step is 'number of the half minute whose code was used last: a code works once';

-- Recovery codes, of 120 random bits, replace an authenticator app, passkeys or both. Only their hashes are stored.
create table recovery_codes (
  person_id bigint,
  code_hash bytea,
  used_at timestamptz,
  primary key (person_id, code_hash),
  constraint recovery_codes_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint recovery_codes_hash_length check (octet_length(code_hash) = 32)
);

-- What checks of the forum found that read all of it: /admin shows the last result with its time.
create table noted_checks (
  name text primary key,
  found integer not null,
  checked_at timestamptz not null default now(),
  constraint noted_checks_found_positive check (found >= 0),
  constraint noted_checks_name_length check (char_length(name) between 1 and 40)
);

create table identity_providers (
  id bigint generated always as identity primary key,
  name text not null unique,
  preset text not null,
  label text,
  issuer text,
  client_id text,
  client_secret bytea,
  position integer not null,
  is_on boolean not null default true,
  allowed_domains text[] not null default '{}',
  creates_accounts boolean not null default true,
  trusts_addresses boolean not null default false,
  accepts_factor boolean not null default false,
  is_required boolean not null default false,
  role_claim text,
  tested_at timestamptz,
  scopes text[] not null default '{}',
  constraint identity_providers_client_id_length check (char_length(client_id) between 1 and 500),
  constraint identity_providers_client_secret_length check (octet_length(client_secret) <= 2000),
  constraint identity_providers_connected check ((preset = 'environment') = (label is null) and (preset = 'environment') =
    (client_id is null) and (preset in ('environment', 'github')) = (issuer is null)),
  constraint identity_providers_domains_count check (cardinality(allowed_domains) <= 100),
  constraint identity_providers_issuer_length check (char_length(issuer) between 1 and 500),
  constraint identity_providers_label_length check (char_length(label) between 1 and 40),
  constraint identity_providers_name_form check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  constraint identity_providers_preset_known check (preset in ('environment', 'google', 'entra', 'keycloak', 'github', 'openid')),
  constraint identity_providers_role_claim_length check (char_length(role_claim) between 1 and 200),
  constraint identity_providers_scopes_few check (cardinality(scopes) <= 20),
  constraint identity_providers_trust_has_domains check (not trusts_addresses or cardinality(allowed_domains) > 0)
);
comment on column identity_providers.name is 'in addresses: /sign-in/with/NAME';
comment on column identity_providers.preset is
  'environment: issuer, client and label are in OIDC_ISSUER and the variables beside it';
comment on column identity_providers.client_secret is 'sealed with a key from SECRET (src/secrets); null: the provider gave none';
comment on column identity_providers.allowed_domains is
  'of email addresses, in lower case; empty: any, and accounts without an address too';
comment on column identity_providers.trusts_addresses is 'whether a verified address of these domains counts as confirmed';
comment on column identity_providers.accepts_factor is 'whether a second factor that the provider reports replaces ours';
comment on column identity_providers.is_required is 'whether everyone but admins has to sign in with a provider';

create table linked_accounts (
  id bigint generated always as identity primary key,
  person_id bigint not null,
  provider_id bigint not null,
  issuer text not null,
  subject text not null,
  account_name text,
  linked_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint linked_accounts_one_each unique (person_id, provider_id),
  constraint linked_accounts_subject_key unique (issuer, subject),
  constraint linked_accounts_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint linked_accounts_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint linked_accounts_account_name_length check (char_length(account_name) between 1 and 254),
  constraint linked_accounts_issuer_length check (char_length(issuer) between 1 and 500),
  constraint linked_accounts_subject_length check (char_length(subject) between 1 and 255)
);
comment on column linked_accounts.account_name is 'address or name there, as last told: for its owner';
create index linked_accounts_provider on linked_accounts (provider_id);
alter table half_sign_ins add constraint half_sign_ins_account_fkey foreign key (linked_account_id) references linked_accounts (id)
  on delete cascade;

-- From leaving for a provider until an hour later. Like all tables with token_hash they are in no backup.
create table provider_sign_ins (
  token_hash bytea primary key,
  browser_hash bytea not null,
  provider_id bigint not null,
  nonce text not null,
  verifier text not null,
  path text not null,
  begun_at timestamptz not null default now(),
  returned_at timestamptz,
  unlinked jsonb,
  person_id bigint,
  is_again boolean not null default false,
  signed_in_at timestamptz,
  is_trial boolean not null default false,
  constraint provider_sign_ins_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint provider_sign_ins_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint provider_sign_ins_browser_hash_length check (octet_length(browser_hash) = 32),
  constraint provider_sign_ins_nonce_length check (char_length(nonce) between 22 and 100),
  constraint provider_sign_ins_path_length check (char_length(path) <= 4000),
  constraint provider_sign_ins_token_hash_length check (octet_length(token_hash) = 32),
  constraint provider_sign_ins_unlinked_size check (octet_length(unlinked::text) <= 20000),
  constraint provider_sign_ins_verifier_length check (char_length(verifier) between 43 and 128)
);
comment on column provider_sign_ins.token_hash is 'of the state that the provider sends back';
comment on column provider_sign_ins.browser_hash is 'of a cookie: who did not leave with this browser does not come back with it';
comment on column provider_sign_ins.returned_at is 'null: not yet. A state is valid once';
comment on column provider_sign_ins.unlinked is 'who came back and has no account here yet: waits to be linked, or for an account';
comment on column provider_sign_ins.person_id is 'who was signed in when it began, or signed in to link it; null: nobody';
comment on column provider_sign_ins.is_again is 'the provider was told to ask who they are, whatever it knew';
comment on column provider_sign_ins.signed_in_at is
  'when person_id signed in on the page''s own form to link who came back; null: nobody did';
create index provider_sign_ins_begun on provider_sign_ins (begun_at);
create index provider_sign_ins_browser on provider_sign_ins (browser_hash);
create index provider_sign_ins_person on provider_sign_ins (person_id);
create index provider_sign_ins_provider on provider_sign_ins (provider_id);

-- Sessions that began with a linked account: the provider may end them.
create table provider_sessions (
  token_hash bytea primary key,
  linked_account_id bigint not null,
  sid text,
  has_factor boolean not null default false,
  constraint provider_sessions_account_fkey foreign key (linked_account_id) references linked_accounts (id) on delete cascade,
  constraint provider_sessions_session_fkey foreign key (token_hash) references sessions (token_hash) on delete cascade,
  constraint provider_sessions_sid_length check (char_length(sid) between 1 and 255)
);
comment on column provider_sessions.sid is 'the session at the provider; null: it names none';
comment on column provider_sessions.has_factor is 'whether the provider reported two factors as this session began (amr or acr)';
create index provider_sessions_account on provider_sessions (linked_account_id);

-- Tokens by which providers ended sessions: each counts once. Kept for longer than any is valid.
create table logout_tokens (
  token_hash bytea primary key,
  seen_at timestamptz not null default now(),
  constraint logout_tokens_token_hash_length check (octet_length(token_hash) = 32)
);
comment on column logout_tokens.token_hash is 'of the provider''s name and the token''s jti';
create index logout_tokens_seen on logout_tokens (seen_at);

-- Two accounts of one person that an admin merged: the number of the closed one leads to the other for good. What is needed to undo it
-- is kept for seven days: the closed account as it was, and each row that changed.
create table account_merges (
  id bigint generated always as identity primary key,
  from_id bigint not null,
  into_id bigint not null,
  merged_by bigint references people (id) on delete set null,
  merged_at timestamptz not null default now(),
  former jsonb,
  constraint account_merges_from_key unique (from_id),
  constraint account_merges_from_fkey foreign key (from_id) references people (id) on delete cascade,
  constraint account_merges_into_fkey foreign key (into_id) references people (id) on delete cascade,
  constraint account_merges_of_two check (from_id <> into_id)
);
create index account_merges_into on account_merges (into_id, id);
create index account_merges_merged_by on account_merges (merged_by);
create index account_merges_undoable on account_merges (merged_at) where former is not null;

-- With a column: the key of a row of which this column named the closed account. Without: a whole row, as it was before, or is since.
create table account_merge_rows (
  merge_id bigint not null,
  table_name text not null,
  column_name text,
  is_before boolean not null,
  content jsonb not null,
  constraint account_merge_rows_merge_fkey foreign key (merge_id) references account_merges (id) on delete cascade
);
create index account_merge_rows_merge on account_merge_rows (merge_id, table_name);

-- What somebody takes along is purged: of the post only its place stays, without text, versions, pictures or tags, and it cannot
-- be restored. Purging is done in steps after the account was closed; a row of departures says that they are not all done.
create table departures (
  person_id bigint primary key,
  takes_posts boolean not null,
  former_name text not null,
  begun_at timestamptz not null default now(),
  constraint departures_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint departures_former_name_length check (char_length(former_name) between 1 and 50)
);
comment on column departures.former_name is 'under which posts stand that stay, and where posts mention the person';

-- Which secrets sign cookies and forms of this forum, and when an instance last reported it: instances with different secrets
-- refuse each other's.
create table secret_fingerprints (
  fingerprint bytea primary key,
  used_at timestamptz not null default now(),
  constraint secret_fingerprints_length check (octet_length(fingerprint) = 16)
);
comment on column secret_fingerprints.fingerprint is 'HMAC of SECRET: does not reveal it';
