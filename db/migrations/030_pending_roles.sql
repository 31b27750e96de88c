-- A role given to an e-mail address waits here until the mailbox's owner has confirmed the address: anybody can sign up under
-- somebody else's. The confirmation moves it to course_members in its own transaction.
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

comment on column people.email_confirmed_at is
  'null: nobody has shown that the mailbox is theirs, by a link sent there or passed on by an operator, who also vouches for addresses of accounts they create';

-- Whoever had an account before its address was confirmed may not be the owner of the mailbox that takes it back.
alter table mail_links add column was_confirmed boolean not null default false;
comment on column mail_links.was_confirmed is 'whether the account''s address was confirmed when the link was made';
