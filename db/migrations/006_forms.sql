-- The same form sent twice makes one post: the key is a hash of who, where, the form's token and what was typed.
create table posted_once (
  key bytea primary key,
  person_id bigint not null,
  path text not null default '',
  posted_at timestamptz not null default now(),
  constraint posted_once_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint posted_once_key_length check (octet_length(key) = 32)
);
create index posted_once_posted on posted_once (posted_at);
create index posted_once_person on posted_once (person_id);
comment on column posted_once.path is 'where the first of them led, so that the second leads there too';

-- What somebody typed while not signed in (or no longer): it is there again after signing in.
create table kept_forms (
  token_hash bytea primary key,
  fields jsonb not null,
  kept_at timestamptz not null default now(),
  constraint kept_forms_token_hash_length check (octet_length(token_hash) = 32)
);
create index kept_forms_kept on kept_forms (kept_at);
