-- Roles in courses that a provider's claim gives: what its values stand for, and whom it gave a role.
create table provider_roles (
  id bigint generated always as identity primary key,
  provider_id bigint not null,
  value text not null,
  course_id bigint not null,
  role text not null,
  constraint provider_roles_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint provider_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint provider_roles_one_each unique (provider_id, value, course_id),
  constraint provider_roles_value_length check (char_length(value) between 1 and 200),
  constraint provider_roles_role_known check (role in ('learner', 'assistant', 'instructor'))
);
create index provider_roles_course on provider_roles (course_id);

create table claimed_roles (
  course_id bigint not null,
  person_id bigint not null,
  provider_id bigint not null,
  role text not null,
  former_role text,
  constraint claimed_roles_pkey primary key (course_id, person_id),
  constraint claimed_roles_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint claimed_roles_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint claimed_roles_provider_fkey foreign key (provider_id) references identity_providers (id) on delete cascade,
  constraint claimed_roles_role_known check (role in ('learner', 'assistant', 'instructor')),
  constraint claimed_roles_former_role_known check (former_role in ('learner', 'assistant', 'instructor'))
);
comment on column claimed_roles.former_role is 'what the person had by hand before, and has again when the claim goes; null: was no member';
create index claimed_roles_person on claimed_roles (person_id);
create index claimed_roles_provider on claimed_roles (provider_id);

-- A role that is changed by hand, or taken away, is the claim's no more.
create function forget_claimed_role() returns trigger language plpgsql as $$
begin
  delete from claimed_roles where course_id = old.course_id and person_id = old.person_id;
  return null;
end $$;
create trigger course_members_forget_claim after delete on course_members
  for each row execute function forget_claimed_role();
create trigger course_members_forget_changed_claim after update on course_members
  for each row when (old.role is distinct from new.role) execute function forget_claimed_role();
