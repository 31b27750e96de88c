-- A form that is sent twice creates one post: the key is a hash of the person, the address, the form's token and its text.
create table posted_once (
  key bytea primary key,
  person_id bigint not null,
  path text not null default '',
  posted_at timestamptz not null default now(),
  constraint posted_once_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint posted_once_key_length check (octet_length(key) = 32)
);
comment on column posted_once.path is 'where the first one redirected to: the second redirects there, too';
create index posted_once_posted on posted_once (posted_at);
create index posted_once_person on posted_once (person_id);

-- Text typed by somebody who was not signed in, or no longer: it is restored after sign-in. It belongs to one person, ends
-- with signing out in that browser, and is limited per network.
create table kept_forms (
  token_hash bytea primary key,
  fields jsonb not null,
  person_id bigint,
  browser_hash bytea,
  network_hash bytea,
  kept_at timestamptz not null default now(),
  constraint kept_forms_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint kept_forms_token_hash_length check (octet_length(token_hash) = 32),
  constraint kept_forms_browser_hash_length check (octet_length(browser_hash) = 32),
  constraint kept_forms_network_hash_length check (octet_length(network_hash) = 32)
);
comment on column kept_forms.person_id is 'whose session had ended, or who opened it first; null: not known yet';
comment on column kept_forms.browser_hash is 'of the browser''s cookie';
create index kept_forms_kept on kept_forms (kept_at);
create index kept_forms_person on kept_forms (person_id);
create index kept_forms_browser on kept_forms (browser_hash);
create index kept_forms_network on kept_forms (network_hash, kept_at);
