-- How often somebody did something that is limited, counted for all processes together. Unlogged: after a crash counts begin anew.
create unlogged table tries (
  key bytea primary key,
  count integer not null,
  ends_at timestamptz not null,
  constraint tries_count_positive check (count > 0),
  constraint tries_key_length check (octet_length(key) = 32)
);
create index tries_ends on tries (ends_at);
comment on column tries.key is 'SHA-256 of what is limited and who: no address or e-mail is kept here';
comment on column tries.ends_at is 'when the count begins anew, however often it is tried again';
