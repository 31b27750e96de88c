-- When a question was resolved, for the time to resolution among a course's figures. null: it is not, or nobody noted when:
-- before this column, or in an import, where bulk loads keep the times they bring.
alter table questions
  add column resolved_at timestamptz(3),
  add constraint questions_resolved_at_is_resolved check (resolved_at is null or status = 'resolved');
comment on column questions.resolved_at is 'null: not resolved, or nobody noted when';

create function note_resolution() returns trigger language plpgsql as $$
begin
  if new.status <> 'resolved' then
    new.resolved_at := null;
  elsif new.resolved_at is null and is_counted() then
    new.resolved_at := now();
  end if;
  return new;
end $$;

create trigger questions_note_resolution before update on questions
  for each row when (old.status is distinct from new.status) execute function note_resolution();

-- Who is staff in every course.
create index people_admins on people (id) where is_admin;
