-- An authenticator app beside the password. Its secret must be readable to check codes.
create table second_factors (
  person_id bigint primary key,
  secret bytea not null,
  made_at timestamptz not null default now(),
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  constraint second_factors_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint second_factors_secret_length check (octet_length(secret) = 20)
);
comment on column second_factors.confirmed_at is 'null: the app has not shown a right code yet, and sign-in asks for none';
comment on column second_factors.last_step is 'number of the half minute whose code was used last: a code works once';

-- Recovery codes, of 120 random bits, replace an authenticator app, passkeys or both. Only their hashes are stored.
create table recovery_codes (
  person_id bigint not null,
  code_hash bytea not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (person_id, code_hash),
  constraint recovery_codes_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint recovery_codes_hash_length check (octet_length(code_hash) = 32)
);

-- Sign-ins whose password or link was right and whose second factor is still missing.
create table half_sign_ins (
  token_hash bytea primary key,
  person_id bigint not null,
  way text not null,
  path text not null,
  tries integer not null default 0,
  begun_at timestamptz not null default now(),
  constraint half_sign_ins_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint half_sign_ins_token_hash_length check (octet_length(token_hash) = 32),
  constraint half_sign_ins_way_known check (way in ('password', 'link')),
  constraint half_sign_ins_tries_positive check (tries >= 0)
);
create index half_sign_ins_person on half_sign_ins (person_id);
create index half_sign_ins_begun on half_sign_ins (begun_at);
