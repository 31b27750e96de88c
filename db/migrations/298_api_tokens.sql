-- Tokens for programs. Only hashes are stored, as with sessions; not in backups either: a restored forum has none.
create table api_tokens (
  id bigint generated always as identity primary key,
  token_hash bytea not null,
  person_id bigint,
  course_id bigint,
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  ends_at timestamptz not null,
  last_used_at timestamptz,
  constraint api_tokens_token_hash_key unique (token_hash),
  constraint api_tokens_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint api_tokens_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint api_tokens_token_hash_length check (octet_length(token_hash) = 32),
  constraint api_tokens_name_length check (char_length(name) between 1 and 60),
  constraint api_tokens_scopes_known check (cardinality(scopes) between 1 and 3 and scopes <@ array['read', 'write', 'staff']),
  constraint api_tokens_has_owner check (person_id is not null or course_id is not null),
  constraint api_tokens_course_reads check (person_id is not null or scopes = array['read', 'staff']),
  constraint api_tokens_ends check (ends_at > created_at)
);
comment on column api_tokens.person_id is 'whom it acts for; null: a token of the course, which reads what its assistants may';
comment on column api_tokens.course_id is 'where alone it is worth anything; null: everywhere';
create index api_tokens_person on api_tokens (person_id, id);
create index api_tokens_course on api_tokens (course_id, id);
create index api_tokens_ends on api_tokens (ends_at);

-- Each process keeps for a minute whose a token is: one that has ended is looked up again at once.
create function tell_ended_token() returns trigger language plpgsql as $$
begin
  if old.person_id is null then
    perform tell_change(json_build_object('scopes', array['course:' || old.course_id]));
  else
    perform tell_change(json_build_object('person', old.person_id, 'scopes', array[]::text[]));
  end if;
  return null;
end $$;
create constraint trigger api_tokens_tell_ended after delete on api_tokens deferrable initially deferred
  for each row when (is_told()) execute function tell_ended_token();
