-- People who read, ask and answer. A person without an e-mail address came with an import and cannot sign in.
create table people (
  id bigint generated always as identity primary key,
  display_name text not null,
  email text,
  email_confirmed_at timestamptz,
  password_hash text,
  access_version integer not null default 1,
  is_admin boolean not null default false,
  language text,
  time_zone text,
  theme text not null default 'system',
  questions_count integer not null default 0,
  answers_count integer not null default 0,
  joined_at timestamptz not null default now(),
  new_until timestamptz,
  left_at timestamptz,
  constraint people_display_name_length check (char_length(display_name) between 1 and 50),
  constraint people_email_key unique (email),
  constraint people_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position('@' in email) > 1),
  constraint people_confirmed_needs_email check (email_confirmed_at is null or email is not null),
  constraint people_password_needs_email check (password_hash is null or email is not null),
  constraint people_language_known check (language in ('en', 'ko')),
  constraint people_theme_known check (theme in ('system', 'light', 'dark')),
  constraint people_questions_count_positive check (questions_count >= 0),
  constraint people_answers_count_positive check (answers_count >= 0)
);
comment on column people.email_confirmed_at is
  'null: the owner of the mailbox has not confirmed the address, neither by a link sent to it nor by one that an operator passed on; an operator who creates an account confirms its address';
comment on column people.access_version is
  'grows when earlier proofs of identity become void: a new password, a second factor, an account taken back';
comment on column people.language is 'null: the language of the browser';
comment on column people.time_zone is 'IANA name; null: the course''s';
comment on column people.new_until is
  'until then the limits for newcomers hold; null: an operator, a set-up or an import created the account';
comment on column people.left_at is
  'when the owner asked to delete the account; null: not asked. A post locks the row and requires null';

-- People are found by the beginning of any word of their name, regardless of case and accents: by:ilic finds Mara Ilić.
-- Letters that Unicode does not decompose into a letter and an accent are listed. A space precedes each word.
create function name_words(name text) returns text
language sql immutable strict parallel safe
return ' ' || translate(
  normalize(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g')), NFKC),
  'łøđıß-_.,''’\%', 'lodis        ');

create extension if not exists pg_trgm;
create index people_name_words on people using gin (name_words(display_name) gin_trgm_ops);
