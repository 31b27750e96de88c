-- Who learns in a course and who teaches it.
create table course_members (
  course_id bigint not null,
  person_id bigint not null,
  role text not null,
  constraint course_members_pkey primary key (course_id, person_id),
  constraint course_members_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_members_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint course_members_role_known check (role in ('learner', 'assistant', 'instructor'))
);
create index course_members_person on course_members (person_id);
create index course_members_staff on course_members (course_id, role) where role <> 'learner';

-- Roles given to an e-mail address whose owner has not confirmed it yet: anybody can sign up with somebody else's address.
-- The transaction that confirms the address moves the role to course_members.
create table pending_roles (
  course_id bigint not null,
  email text not null,
  role text not null,
  given_at timestamptz not null default now(),
  constraint pending_roles_pkey primary key (course_id, email),
  constraint pending_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint pending_roles_role_known check (role in ('learner', 'assistant', 'instructor')),
  constraint pending_roles_email_form check (email = lower(email) and char_length(email) between 3 and 254 and position('@' in email) > 1)
);
create index pending_roles_email on pending_roles (email);
