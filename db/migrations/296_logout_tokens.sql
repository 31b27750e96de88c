-- Tokens by which providers ended sessions: each counts once. Kept for longer than any is valid.
create table logout_tokens (
  token_hash bytea primary key,
  seen_at timestamptz not null default now(),
  constraint logout_tokens_token_hash_length check (octet_length(token_hash) = 32)
);
comment on column logout_tokens.token_hash is 'of the provider''s name and the token''s jti';
create index logout_tokens_seen on logout_tokens (seen_at);
