-- What admins decide for the whole forum: one row, or none as long as nobody decided anything.
create table site_settings (
  is_only boolean primary key default true,
  staff_need_second_factor boolean not null default false,
  constraint site_settings_only_one check (is_only)
);
comment on column site_settings.staff_need_second_factor is 'admins, instructors and assistants without one have no staff rights';

-- Who has a second factor, and whether staff need one, is something a session goes by (013_changes.sql).
create constraint trigger second_factors_tell_person after insert or delete on second_factors deferrable initially deferred
  for each row when (is_told()) execute function tell_person_change('access', 'person_id');
create constraint trigger second_factors_tell_confirmed after update on second_factors deferrable initially deferred
  for each row when (old.confirmed_at is distinct from new.confirmed_at and is_told())
  execute function tell_person_change('access', 'person_id');
create constraint trigger passkeys_tell_person after insert or delete on passkeys deferrable initially deferred
  for each row when (is_told()) execute function tell_person_change('access', 'person_id');

create function tell_everything() returns trigger language plpgsql as $$
begin
  perform tell_change(json_build_object('all', true));
  return null;
end $$;
create constraint trigger site_settings_tell after insert or update or delete on site_settings deferrable initially deferred
  for each row when (is_told()) execute function tell_everything();
