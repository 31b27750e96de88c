-- Pages say to whom a role waits for their address (src/web/own-parts.ts): their own parts change with these roles. That the address is
-- confirmed is told with its person.
create function tell_own_of_pending_roles() returns trigger language plpgsql as $$
begin
  perform tell_own(array(select distinct person.id from changed_rows as waiting join people as person on person.email = waiting.email
    where person.email_confirmed_at is null order by person.id));
  return null;
end $$;
create trigger pending_roles_tell_insert after insert on pending_roles referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_pending_roles();
create trigger pending_roles_tell_delete after delete on pending_roles referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_pending_roles();
