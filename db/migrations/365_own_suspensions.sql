-- Forms say to a suspended person that they can only read (src/web/own-parts.ts): their own parts change with their suspensions.
-- Those that end by themselves need no message, as the text has their time. TG_ARGV: none.
create function tell_own_of_measures() returns trigger language plpgsql as $$
begin
  perform tell_own(array(select distinct person_id from changed_rows
    where kind = 'suspend' and person_id is not null order by person_id));
  return null;
end $$;
create trigger measures_tell_insert after insert on measures referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_measures();
create trigger measures_tell_update after update on measures referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_measures();
create trigger measures_tell_delete after delete on measures referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_measures();
