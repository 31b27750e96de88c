-- Programs that ask people for access (agents), what each person let one do, and the codes and tokens of that.
create table apps (
  id bigint generated always as identity primary key,
  client_id text not null,
  name text not null,
  redirect_uris text[] not null,
  is_registered boolean not null,
  created_at timestamptz(3) not null default now(),
  constraint apps_client_id_once unique (client_id),
  constraint apps_client_id_length check (length(client_id) between 1 and 500),
  constraint apps_name_length check (length(name) between 1 and 100),
  constraint apps_redirect_uris_bounded check (cardinality(redirect_uris) between 1 and 20)
);
comment on column apps.client_id is 'the name we gave it, or the https address of the document that describes it';
comment on column apps.redirect_uris is 'where codes may go; of a document: as it was when someone last let the app in';
comment on column apps.is_registered is 'by an admin; otherwise its document describes it';

create table app_grants (
  id bigint generated always as identity primary key,
  app_id bigint not null references apps (id) on delete cascade,
  person_id bigint not null references people (id) on delete cascade,
  scopes text[] not null,
  is_everywhere boolean not null,
  described_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz,
  constraint app_grants_scopes_known check (scopes <@ array['read', 'draft', 'waiting'] and 'read' = any (scopes))
);
create index app_grants_person on app_grants (person_id, id desc);
create index app_grants_app on app_grants (app_id);
comment on column app_grants.is_everywhere is 'all that the person may read; otherwise the courses in app_grant_courses alone';
comment on column app_grants.described_hash is 'of the name and addresses that the person was shown: what changed since is asked again';

create table app_grant_courses (
  grant_id bigint not null references app_grants (id) on delete cascade,
  course_id bigint not null references courses (id) on delete cascade,
  primary key (grant_id, course_id)
);
create index app_grant_courses_course on app_grant_courses (course_id);

create table app_tokens (
  token_hash bytea primary key,
  grant_id bigint not null references app_grants (id) on delete cascade,
  kind text not null,
  ends_at timestamptz not null,
  used_at timestamptz,
  redirect_uri text,
  code_challenge text,
  constraint app_tokens_kind_known check (kind in ('code', 'access', 'refresh')),
  constraint app_tokens_code check (
    (kind = 'code') = (redirect_uri is not null) and (kind = 'code') = (code_challenge is not null)),
  constraint app_tokens_used_once check (used_at is null or kind <> 'access')
);
create index app_tokens_grant on app_tokens (grant_id, ends_at desc);
create index app_tokens_ends_at on app_tokens (ends_at);
comment on column app_tokens.used_at is 'of a code or a refresh token: who comes with it again has stolen it, or was stolen from';
