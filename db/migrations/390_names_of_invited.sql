-- The name that a list of members gives somebody who has no account yet, for the greeting of the invitation. It goes with the role.
alter table pending_roles add column name text;
alter table pending_roles add constraint pending_roles_name_length check (char_length(name) between 1 and 50);

-- Roles above learner that a list names, until an instructor says that they are meant: such a cell may be written by the person
-- it is about. Without a foreign key to people, as most have no account yet.
create table asked_roles (
  course_id bigint not null,
  email text not null,
  role text not null,
  name text,
  asked_at timestamptz not null default now(),
  constraint asked_roles_pkey primary key (course_id, email),
  constraint asked_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint asked_roles_role_known check (role in ('assistant', 'instructor')),
  constraint asked_roles_name_length check (char_length(name) between 1 and 50),
  constraint asked_roles_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position('@' in email) > 1)
);
create index asked_roles_email on asked_roles (email);
