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
