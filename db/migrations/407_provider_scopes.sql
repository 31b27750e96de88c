-- Scopes that a provider is asked for besides ours, such as one that brings groups.
alter table identity_providers add column scopes text[] not null default '{}',
  add constraint identity_providers_scopes_few check (cardinality(scopes) <= 20);
-- An admin tries the provider: what it says is shown to them, and nobody is signed in.
alter table provider_sign_ins add column is_trial boolean not null default false;
