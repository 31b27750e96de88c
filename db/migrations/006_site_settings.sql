-- What admins set for the whole forum: one row, or none while all defaults hold.
create table site_settings (
  is_only boolean primary key default true,
  staff_need_second_factor boolean not null default false,
  constraint site_settings_only_one check (is_only)
);
comment on column site_settings.staff_need_second_factor is 'admins, instructors and assistants without one have no staff rights';
