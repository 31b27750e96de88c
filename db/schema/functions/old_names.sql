-- Names that the version before this one calls, for the minutes of an upgrade without downtime: to be dropped by the version after 0.4.

create or replace function is_told() returns boolean language sql stable as 'select is_announced()';
create or replace function tell_change(message json) returns void language sql as 'select invalidate(message)';
create or replace function tell_own(people bigint[]) returns void language sql as 'select invalidate_own(people)';
create or replace function tell_person(person bigint) returns void language sql as 'select invalidate_person(person)';
create or replace function tell_case_to_staff(matter bigint) returns void language sql as 'select invalidate_own_of_case(matter)';

-- An import of that version knows a row of a dump by its number alone, which was of one site in each course.
create or replace function name_imported() returns trigger language plpgsql as $$
begin
  if new.external_id is null then
    new.source := 'stackexchange';
    new.origin := (select slug from courses where id = new.course_id);
    new.external_id := new.source_id::text;
  end if;
  return new;
end $$;
create trigger imported_posts_name before insert or update on imported_posts for each row execute function name_imported();
create trigger imported_people_name before insert or update on imported_people for each row execute function name_imported();
