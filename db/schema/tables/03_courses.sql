-- Courses, what they are about, and who belongs to them.

-- Courses, their categories and lectures.
create table courses (
  id bigint generated always as identity primary key,
  slug text not null unique,
  title text not null,
  field text not null default '',
  description text not null default '',
  language text not null default 'en',
  time_zone text not null default 'UTC',
  is_public boolean not null default true,
  questions_count integer not null default 0,
  resolved_count integer not null default 0,
  unanswered_count integer not null default 0,
  created_at timestamptz not null default now(),
  allows_private boolean not null default true,
  allows_anonymous boolean not null default false,
  promise_hours integer,
  version integer not null default 1,
  asking text not null default 'everybody',
  accent text not null default 'green',
  archived_at timestamptz,
  question_template text not null default '',
  synonyms text not null default '',
  allows_embeddings boolean not null default false,
  hides_first_steps boolean not null default false,
  constraint courses_accent_known check (accent in ('green', 'blue', 'violet', 'plum', 'slate')),
  constraint courses_asking_known check (asking in ('everybody', 'members')),
  constraint courses_description_length check (char_length(description) <= 2000),
  constraint courses_field_length check (char_length(field) <= 50),
  constraint courses_language_known check (language in ('en', 'ko')),
  constraint courses_promise_hours_bounds check (promise_hours between 1 and 8760),
  constraint courses_question_template_length check (char_length(question_template) <= 2000),
  constraint courses_questions_count_positive check (questions_count >= 0),
  constraint courses_resolved_count_bounds check (resolved_count between 0 and questions_count),
  constraint courses_slug_form check (slug = lower(slug) and slug !~ '[/?#%[:space:]]' and char_length(slug) between 1 and 80),
  constraint courses_synonyms_length check (char_length(synonyms) <= 4000),
  constraint courses_time_zone_length check (char_length(time_zone) between 1 and 64),
  constraint courses_title_length check (char_length(title) between 1 and 150),
  constraint courses_unanswered_count_bounds check (unanswered_count between 0 and questions_count)
);
comment on column courses.field is 'the sub-field shown with each question, e.g. Backend';
comment on column courses.allows_private is 'learners may ask privately; what is private already stays so';
comment on column courses.allows_anonymous is 'learners may post anonymously; what is anonymous already stays so';
comment on column courses.promise_hours is 'within how many hours staff mean to answer; null: nothing is promised';
comment on column courses.version is 'goes up with each change of the settings: who changes an older one sees both';
comment on column courses.asking is 'who may write in a public course: everybody who is signed in, or its members';
comment on column courses.archived_at is 'since when it can be read and nothing can be written in it; null: it runs';
comment on column courses.synonyms is 'one group a line: word = word = word';
comment on column courses.allows_embeddings is
  'what every member may read is sent to the embedding endpoint; of a public course it always is';
comment on column courses.hides_first_steps is 'its instructors hid what to do first';

create table categories (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  slug text not null,
  name text not null,
  position integer not null default 0,
  constraint categories_course_key unique (course_id, id),
  constraint categories_slug_key unique (course_id, slug),
  constraint categories_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint categories_name_length check (char_length(name) between 1 and 50)
);
comment on column categories.slug is
  'questions-and-answers is the default of each course; its name is shown in the reader''s language';

create table lectures (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  position integer not null,
  title text not null,
  questions_count integer not null default 0,
  unresolved_count integer not null default 0,
  constraint lectures_course_key unique (course_id, id),
  constraint lectures_position_key unique (course_id, "position"),
  constraint lectures_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint lectures_position_positive check ("position" > 0),
  constraint lectures_questions_count_positive check (questions_count >= 0),
  constraint lectures_title_length check (char_length(title) between 1 and 150),
  constraint lectures_unresolved_count_positive check (unresolved_count >= 0)
);
create index lectures_most_asked on lectures (course_id, questions_count desc, "position");

-- What the lectures of a course were before the last change of them, so that whoever made it can undo it. One row a course:
-- a later change can't be undone past an earlier one.
create table lecture_undos (
  course_id bigint primary key references courses (id) on delete cascade,
  change bigint not null default 1,
  before jsonb not null,
  after jsonb not null,
  moved_from bigint,
  moved_to bigint,
  moved bigint[] not null default '{}'::bigint[],
  constraint lecture_undos_lists check (jsonb_typeof(before) = 'array' and jsonb_typeof(after) = 'array'),
  constraint lecture_undos_moved check (moved_from is not null or moved_to is null and moved = '{}'::bigint[])
);
comment on column lecture_undos.change is 'counts the changes: an old page does not undo a newer one';
comment on column lecture_undos.before is '[{id, position, title}, …] by position';
comment on column lecture_undos.after is 'the same after the change: undone only while the lectures are still these';
comment on column lecture_undos.moved is 'questions of lecture moved_from, which was deleted, that went to moved_to; null: to none';

-- Who learns in a course and who teaches it.
create table course_members (
  course_id bigint,
  person_id bigint,
  role text not null,
  mail_rhythm text,
  primary key (course_id, person_id),
  constraint course_members_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_members_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint course_members_mail_rhythm_known check (mail_rhythm in ('soon', 'daily', 'weekly', 'never')),
  constraint course_members_role_known check (role in ('learner', 'assistant', 'instructor'))
);
comment on column course_members.mail_rhythm is 'null: as people.mail_rhythm';
create index course_members_of_staff on course_members (person_id) where role <> 'learner';
create index course_members_person on course_members (person_id);
create index course_members_staff on course_members (course_id, role) where role <> 'learner';

-- Roles given to an e-mail address whose owner has not confirmed it yet: anybody can sign up with somebody else's address.
-- The transaction that confirms the address moves the role to course_members.
create table pending_roles (
  course_id bigint,
  email text,
  role text not null,
  given_at timestamptz not null default now(),
  name text,
  primary key (course_id, email),
  constraint pending_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint pending_roles_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position(('@') in
    (email)) > 1),
  constraint pending_roles_name_length check (char_length(name) between 1 and 50),
  constraint pending_roles_role_known check (role in ('learner', 'assistant', 'instructor'))
);
create index pending_roles_email on pending_roles (email);

create table claimed_roles (
  course_id bigint,
  person_id bigint,
  provider_id bigint not null,
  role text not null,
  former_role text,
  primary key (course_id, person_id),
  constraint claimed_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint claimed_roles_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint claimed_roles_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint claimed_roles_former_role_known check (former_role in ('learner', 'assistant', 'instructor')),
  constraint claimed_roles_role_known check (role in ('learner', 'assistant', 'instructor'))
);
comment on column claimed_roles.former_role is
  'what the person had by hand before, and has again when the claim goes; null: was no member';
create index claimed_roles_person on claimed_roles (person_id);
create index claimed_roles_provider on claimed_roles (provider_id);

-- Roles above learner that a list names, until an instructor says that they are meant: such a cell may be written by the person
-- it is about. Without a foreign key to people, as most have no account yet.
create table asked_roles (
  course_id bigint,
  email text,
  role text not null,
  name text,
  asked_at timestamptz not null default now(),
  primary key (course_id, email),
  constraint asked_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint asked_roles_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position(('@') in
    (email)) > 1),
  constraint asked_roles_name_length check (char_length(name) between 1 and 50),
  constraint asked_roles_role_known check (role in ('assistant', 'instructor'))
);
create index asked_roles_email on asked_roles (email);

-- Roles in courses that a provider's claim gives: what its values stand for, and whom it gave a role.
create table provider_roles (
  id bigint generated always as identity primary key,
  provider_id bigint not null,
  value text not null,
  course_id bigint not null,
  role text not null,
  constraint provider_roles_one_each unique (provider_id, value, course_id),
  constraint provider_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint provider_roles_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint provider_roles_role_known check (role in ('learner', 'assistant', 'instructor')),
  constraint provider_roles_value_length check (char_length(value) between 1 and 200)
);
create index provider_roles_course on provider_roles (course_id);

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
  constraint invitations_token_key unique (token_hash),
  constraint invitations_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint invitations_role_known check (role in ('learner', 'assistant', 'instructor')),
  constraint invitations_token_hash_length check (octet_length(token_hash) = 32),
  constraint invitations_used_bounds check (used >= 0 and (uses is null or used <= uses)),
  constraint invitations_uses_bounds check (uses between 1 and 100000)
);
comment on column invitations.uses is 'how many people may join by it; null: as many as there are';
create index invitations_course on invitations (course_id, id);

-- A course that an admin deleted: it is private, archived and without members at once, and can be restored until it is purged.
-- What it was then is kept here.
create table course_deletions (
  course_id bigint primary key,
  deleted_at timestamptz not null default now(),
  was_public boolean not null,
  was_archived_at timestamptz,
  members jsonb not null,
  pending jsonb not null,
  constraint course_deletions_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_deletions_members_list check (jsonb_typeof(members) = 'array'),
  constraint course_deletions_pending_list check (jsonb_typeof(pending) = 'array')
);
create index course_deletions_deleted on course_deletions (deleted_at);

-- The courses where a closed account was known under its name when it was merged. Who may read one of them is led from its address to
-- the account that it became; for all others there was nobody, and still is not. What is older than an undo can no longer be told.
create table account_merge_courses (
  merge_id bigint,
  course_id bigint,
  primary key (merge_id, course_id),
  constraint account_merge_courses_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint account_merge_courses_merge_fkey foreign key (merge_id) references account_merges (id) on delete cascade
);
create index account_merge_courses_course on account_merge_courses (course_id);

-- Tokens for programs. Only hashes are stored, as with sessions; not in backups either: a restored forum has none.
create table api_tokens (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  person_id bigint,
  course_id bigint,
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  ends_at timestamptz not null,
  last_used_at timestamptz,
  constraint api_tokens_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint api_tokens_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint api_tokens_course_reads check (person_id is not null or scopes = array['read', 'staff']),
  constraint api_tokens_ends check (ends_at > created_at),
  constraint api_tokens_has_owner check (person_id is not null or course_id is not null),
  constraint api_tokens_name_length check (char_length(name) between 1 and 60),
  constraint api_tokens_scopes_known check (cardinality(scopes) between 1 and 3 and scopes <@ array['read', 'write', 'staff']),
  constraint api_tokens_token_hash_length check (octet_length(token_hash) = 32)
);
comment on column api_tokens.person_id is 'whom it acts for; null: a token of the course, which reads what its assistants may';
comment on column api_tokens.course_id is 'where alone it is worth anything; null: everywhere';
create index api_tokens_course on api_tokens (course_id, id);
create index api_tokens_ends on api_tokens (ends_at);
create index api_tokens_person on api_tokens (person_id, id);

-- What programs sent once, by the key that they gave it: the same again within 24 hours is answered the same and writes nothing.
create table idempotency_keys (
  person_id bigint,
  key_hash bytea,
  request_hash bytea not null,
  path text not null,
  posted_at timestamptz not null default now(),
  primary key (person_id, key_hash),
  constraint idempotency_keys_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint idempotency_keys_key_hash_length check (octet_length(key_hash) = 32),
  constraint idempotency_keys_path_length check (char_length(path) between 1 and 200),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32)
);
comment on column idempotency_keys.request_hash is 'of method, address and body: another request with the key is refused';
comment on column idempotency_keys.path is 'below /api/v1, of what was written';
create index idempotency_keys_posted on idempotency_keys (posted_at);
