-- A link by which people join a course. The token is made of the nonce and the forum's secret, so that its makers see the link again;
-- the database alone is worth nothing. As a credential it is in no backup.
create table invitations (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  role text not null,
  token_hash bytea not null,
  nonce bytea not null,
  until timestamptz not null,
  uses integer,
  used integer not null default 0,
  made_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint invitations_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint invitations_token_key unique (token_hash),
  constraint invitations_role_known check (role in ('learner', 'assistant', 'instructor')),
  constraint invitations_token_hash_length check (octet_length(token_hash) = 32),
  constraint invitations_uses_bounds check (uses between 1 and 100000),
  constraint invitations_used_bounds check (used >= 0 and (uses is null or used <= uses))
);
create index invitations_course on invitations (course_id, id);
comment on column invitations.uses is 'how many people may join by it; null: as many as there are';

-- Members and accounts are searched by any part of their name or address.
create index people_name_parts on people using gin (display_name gin_trgm_ops);
create index people_email_parts on people using gin (email gin_trgm_ops);
