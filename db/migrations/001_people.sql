-- Who reads, asks and answers. A person without an e-mail address came with an import and cannot sign in.
create table people (
  id bigint generated always as identity primary key,
  display_name text not null,
  email text,
  password_hash text,
  is_admin boolean not null default false,
  language text,
  time_zone text,
  theme text not null default 'system',
  questions_count integer not null default 0,
  answers_count integer not null default 0,
  joined_at timestamptz not null default now(),
  constraint people_display_name_length check (char_length(display_name) between 1 and 50),
  constraint people_email_key unique (email),
  constraint people_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position('@' in email) > 1),
  constraint people_password_needs_email check (password_hash is null or email is not null),
  constraint people_language_known check (language in ('en', 'ko')),
  constraint people_theme_known check (theme in ('system', 'light', 'dark')),
  constraint people_questions_count_positive check (questions_count >= 0),
  constraint people_answers_count_positive check (answers_count >= 0)
);
comment on column people.language is 'null: as the browser asks';
comment on column people.time_zone is 'IANA name; null: the course''s';

-- Only hashes of tokens are kept: who reads this table cannot become anybody.
create table sessions (
  token_hash bytea primary key,
  person_id bigint not null,
  signed_in_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  user_agent text not null default '',
  constraint sessions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint sessions_token_hash_length check (octet_length(token_hash) = 32)
);
create index sessions_person on sessions (person_id);
create index sessions_last_seen on sessions (last_seen_at);

create table sign_in_links (
  token_hash bytea primary key,
  person_id bigint not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint sign_in_links_token_hash_length check (octet_length(token_hash) = 32)
);
create index sign_in_links_person on sign_in_links (person_id);
create index sign_in_links_expires on sign_in_links (expires_at);

-- The link to the first page of a brand-new forum: one at a time, dead as soon as there is an admin.
create table set_up_links (
  is_only boolean primary key default true,
  token_hash bytea not null,
  constraint set_up_links_only_one check (is_only),
  constraint set_up_links_token_hash_length check (octet_length(token_hash) = 32)
);
