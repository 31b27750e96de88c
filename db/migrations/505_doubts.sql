-- What makes posts of strangers wait: a field that people don't see was filled, and members reported them.
alter table people add column is_doubted boolean not null default false;
comment on column people.is_doubted is 'filled the hidden field when they signed up: their posts wait while they are a stranger';
alter table site_settings add column reports_that_hold integer not null default 3;
alter table site_settings add constraint site_settings_reports_that_hold check (reports_that_hold between 1 and 1000);
comment on column site_settings.reports_that_hold is 'reports by members of standing that hold a post of a stranger';
alter table reports add column network_mark integer;
alter table reports add constraint reports_network_mark_small check (network_mark between 0 and 65535) not valid;
comment on column reports.network_mark is
  'two bytes of a hash of the case and the reporter''s network: enough to tell whether reports come from one, too little to tell which; null: unknown';
