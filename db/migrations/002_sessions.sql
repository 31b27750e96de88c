-- Only hashes of tokens are stored: nobody can sign in with what this table holds.
create table sessions (
  token_hash bytea primary key,
  person_id bigint not null,
  signed_in_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  user_agent text not null default '',
  is_from_link boolean not null default false,
  passkey_at timestamptz,
  constraint sessions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint sessions_token_hash_length check (octet_length(token_hash) = 32)
);
comment on column sessions.is_from_link is 'began with a one-time link: for an hour that replaces the password';
comment on column sessions.passkey_at is 'when a passkey last proved in this session who the person is; null: never';
create index sessions_person on sessions (person_id);
create index sessions_last_seen on sessions (last_seen_at);

-- A form may arrive with the cookie of a session that has ended: its owner stays known as long as that cookie lives.
create table ended_sessions (
  token_hash bytea primary key,
  person_id bigint not null,
  ended_at timestamptz not null default now(),
  constraint ended_sessions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint ended_sessions_token_hash_length check (octet_length(token_hash) = 32)
);
create index ended_sessions_person on ended_sessions (person_id);
create index ended_sessions_ended on ended_sessions (ended_at);

-- A trigger, because sessions end in many ways: signed out, ended elsewhere, by a new password, by time.
create function remember_ended_session() returns trigger language plpgsql as $$
begin
  -- Sessions that are deleted together with their person leave nothing.
  insert into ended_sessions (token_hash, person_id)
  select old.token_hash, id from people where id = old.person_id
  on conflict do nothing;
  return null;
end $$;
create trigger sessions_ended after delete on sessions for each row execute function remember_ended_session();
