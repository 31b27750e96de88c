-- People whom an import brought have no address, so nobody can sign in as them. Whoever gets such an account, with an address of
-- their own, follows the questions they asked there from then on, as everyone follows what they ask here.

create function follow_imported_questions() returns trigger language plpgsql as $$
begin
  insert into question_follows (question_id, person_id)
  select asked.id, new.id from questions as asked
  where asked.author_id = new.id and asked.is_imported and asked.deleted_at is null
  order by asked.id
  on conflict (question_id, person_id) do nothing;
  return null;
end $$;
create trigger people_follow_imported after update of email on people
  for each row when (old.email is null and new.email is not null) execute function follow_imported_questions();
