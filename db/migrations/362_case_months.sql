-- How long the texts, pictures and reports of a decided case are kept, as admins decide it.
alter table site_settings
  add column case_months integer not null default 12,
  add constraint site_settings_case_months check (case_months between 1 and 120);
comment on column site_settings.case_months is 'months after the decision of a case when its snapshots and reports are deleted';
