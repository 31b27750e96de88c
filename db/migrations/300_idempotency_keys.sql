-- What programs sent once, by the key that they gave it: the same again within 24 hours is answered the same and writes nothing.
create table idempotency_keys (
  person_id bigint not null,
  key_hash bytea not null,
  request_hash bytea not null,
  path text not null,
  posted_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (person_id, key_hash),
  constraint idempotency_keys_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint idempotency_keys_key_hash_length check (octet_length(key_hash) = 32),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32),
  constraint idempotency_keys_path_length check (char_length(path) between 1 and 200)
);
comment on column idempotency_keys.request_hash is 'of method, address and body: another request with the key is refused';
comment on column idempotency_keys.path is 'below /api/v1, of what was written';
create index idempotency_keys_posted on idempotency_keys (posted_at);
