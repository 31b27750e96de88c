-- Providers that people sign in with (OpenID Connect, or GitHub's OAuth), and the accounts there that are linked to ours.

create table identity_providers (
  id bigint generated always as identity primary key,
  name text not null,
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
  constraint identity_providers_name_key unique (name),
  constraint identity_providers_name_form check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  constraint identity_providers_preset_known
    check (preset in ('environment', 'google', 'entra', 'keycloak', 'github', 'openid')),
  constraint identity_providers_label_length check (char_length(label) between 1 and 40),
  constraint identity_providers_issuer_length check (char_length(issuer) between 1 and 500),
  constraint identity_providers_client_id_length check (char_length(client_id) between 1 and 500),
  constraint identity_providers_client_secret_length check (octet_length(client_secret) <= 2000),
  constraint identity_providers_domains_count check (cardinality(allowed_domains) <= 100),
  constraint identity_providers_role_claim_length check (char_length(role_claim) between 1 and 200),
  constraint identity_providers_connected
    check ((preset = 'environment') = (label is null) and (preset = 'environment') = (client_id is null)
      and (preset in ('environment', 'github')) = (issuer is null)),
  constraint identity_providers_trust_has_domains check (not trusts_addresses or cardinality(allowed_domains) > 0)
);
comment on column identity_providers.name is 'in addresses: /sign-in/with/NAME';
comment on column identity_providers.preset is 'environment: issuer, client and label are in OIDC_ISSUER and the variables beside it';
comment on column identity_providers.client_secret is 'sealed with a key from SECRET (src/secrets); null: the provider gave none';
comment on column identity_providers.allowed_domains is 'of email addresses, in lower case; empty: any, and accounts without an address too';
comment on column identity_providers.trusts_addresses is 'whether a verified address of these domains counts as confirmed';
comment on column identity_providers.accepts_factor is 'whether a second factor that the provider reports replaces ours';
comment on column identity_providers.is_required is 'whether everyone but admins has to sign in with a provider';

create trigger identity_providers_tell after insert or update or delete on identity_providers
  for each row when (is_told()) execute function tell_everything('sign-in');

create table linked_accounts (
  id bigint generated always as identity primary key,
  person_id bigint not null,
  provider_id bigint not null,
  issuer text not null,
  subject text not null,
  account_name text,
  linked_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint linked_accounts_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint linked_accounts_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint linked_accounts_subject_key unique (issuer, subject),
  constraint linked_accounts_one_each unique (person_id, provider_id),
  constraint linked_accounts_issuer_length check (char_length(issuer) between 1 and 500),
  constraint linked_accounts_subject_length check (char_length(subject) between 1 and 255),
  constraint linked_accounts_account_name_length check (char_length(account_name) between 1 and 254)
);
comment on column linked_accounts.account_name is 'address or name there, as last told: for its owner';
create index linked_accounts_provider on linked_accounts (provider_id);

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
  constraint provider_sign_ins_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint provider_sign_ins_token_hash_length check (octet_length(token_hash) = 32),
  constraint provider_sign_ins_browser_hash_length check (octet_length(browser_hash) = 32),
  constraint provider_sign_ins_nonce_length check (char_length(nonce) between 22 and 100),
  constraint provider_sign_ins_verifier_length check (char_length(verifier) between 43 and 128),
  constraint provider_sign_ins_path_length check (char_length(path) <= 4000),
  constraint provider_sign_ins_unlinked_size check (octet_length(unlinked::text) <= 20000)
);
comment on column provider_sign_ins.token_hash is 'of the state that the provider sends back';
comment on column provider_sign_ins.browser_hash is 'of a cookie: who did not leave with this browser does not come back with it';
comment on column provider_sign_ins.returned_at is 'null: not yet. A state is valid once';
comment on column provider_sign_ins.unlinked is 'who came back and has no account here yet: waits to be linked, or for an account';
create index provider_sign_ins_begun on provider_sign_ins (begun_at);
create index provider_sign_ins_browser on provider_sign_ins (browser_hash);
create index provider_sign_ins_provider on provider_sign_ins (provider_id);

-- Sessions that began with a linked account: the provider may end them.
create table provider_sessions (
  token_hash bytea primary key,
  linked_account_id bigint not null,
  sid text,
  constraint provider_sessions_session_fkey foreign key (token_hash) references sessions (token_hash) on delete cascade,
  constraint provider_sessions_account_fkey foreign key (linked_account_id) references linked_accounts (id) on delete cascade,
  constraint provider_sessions_sid_length check (char_length(sid) between 1 and 255)
);
comment on column provider_sessions.sid is 'the session at the provider; null: it names none';
create index provider_sessions_account on provider_sessions (linked_account_id);

alter table sessions drop constraint sessions_proof_known,
  add constraint sessions_proof_known check (proof in ('link', 'passkey', 'provider', 'fresh-provider'));
alter table half_sign_ins
  add column linked_account_id bigint,
  add column provider_sid text,
  add constraint half_sign_ins_account_fkey foreign key (linked_account_id) references linked_accounts (id) on delete cascade,
  add constraint half_sign_ins_provider_sid_length check (char_length(provider_sid) between 1 and 255),
  drop constraint half_sign_ins_way_known,
  add constraint half_sign_ins_way_known check (way in ('password', 'link', 'provider', 'fresh-provider')),
  add constraint half_sign_ins_account_of_provider check ((way in ('provider', 'fresh-provider')) = (linked_account_id is not null));
create index half_sign_ins_account on half_sign_ins (linked_account_id) where linked_account_id is not null;
