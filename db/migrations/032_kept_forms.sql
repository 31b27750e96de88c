-- What somebody typed belongs to who typed it, ends with signing out in that browser, and is bounded for each network.
alter table kept_forms
  add column person_id bigint,
  add column browser_hash bytea,
  add column network_hash bytea,
  add constraint kept_forms_person_fkey foreign key (person_id) references people (id) on delete cascade,
  add constraint kept_forms_browser_hash_length check (octet_length(browser_hash) = 32),
  add constraint kept_forms_network_hash_length check (octet_length(network_hash) = 32);
create index kept_forms_person on kept_forms (person_id);
create index kept_forms_browser on kept_forms (browser_hash);
create index kept_forms_network on kept_forms (network_hash, kept_at);
comment on column kept_forms.person_id is 'whose session had ended, or who opened it first; null: nobody knows yet';
comment on column kept_forms.browser_hash is 'of the browser''s cookie; null: kept by a version before';

-- A form that arrives with the cookie of a session that is over: whose it was is known for as long as that cookie lives.
create table ended_sessions (
  token_hash bytea primary key,
  person_id bigint not null,
  ended_at timestamptz not null default now(),
  constraint ended_sessions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint ended_sessions_token_hash_length check (octet_length(token_hash) = 32)
);
create index ended_sessions_person on ended_sessions (person_id);
create index ended_sessions_ended on ended_sessions (ended_at);

-- A trigger, as sessions end in many ways: signed out, ended elsewhere, by a new password, by time.
create function remember_ended_session() returns trigger language plpgsql as $$
begin
  -- Sessions that go together with their person leave nothing.
  insert into ended_sessions (token_hash, person_id)
  select old.token_hash, id from people where id = old.person_id
  on conflict do nothing;
  return null;
end $$;
create trigger sessions_ended after delete on sessions for each row execute function remember_ended_session();
