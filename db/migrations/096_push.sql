-- Browsers that are told what is new by web push. Not in backups, as sessions are not: each belongs to one, and ends with it.
create table push_subscriptions (
  id bigint generated always as identity primary key,
  token_hash bytea not null,
  person_id bigint not null,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  server_key text not null,
  created_at timestamptz not null default now(),
  last_sent_at timestamptz,
  constraint push_subscriptions_session_key unique (token_hash),
  constraint push_subscriptions_session_fkey foreign key (token_hash) references sessions (token_hash) on delete cascade,
  constraint push_subscriptions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint push_subscriptions_endpoint_key unique (endpoint),
  constraint push_subscriptions_endpoint_form check (endpoint ~ '^https://[a-z0-9.-]+/' and char_length(endpoint) <= 1000),
  constraint push_subscriptions_p256dh_form check (p256dh ~ '^[A-Za-z0-9_-]{87}$'),
  constraint push_subscriptions_auth_form check (auth ~ '^[A-Za-z0-9_-]{22}$'),
  constraint push_subscriptions_server_key_form check (server_key ~ '^[A-Za-z0-9_-]{87}$')
);
create index push_subscriptions_person on push_subscriptions (person_id, id);
comment on column push_subscriptions.token_hash is 'of the session that it belongs to';
comment on column push_subscriptions.server_key is 'the public key of the forum that the browser takes pushes of: with another one it gets none';
