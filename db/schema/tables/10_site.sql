-- What is one for the whole forum.

-- What admins set for the whole forum: one row, or none while all defaults hold.
create table site_settings (
  is_only boolean default true primary key,
  staff_need_second_factor boolean not null default false,
  audit_months integer not null default 24,
  case_months integer not null default 12,
  constraint site_settings_audit_months check (audit_months between 1 and 120),
  constraint site_settings_case_months check (case_months between 1 and 120),
  constraint site_settings_only_one check (is_only)
);
comment on column site_settings.staff_need_second_factor is 'admins, instructors and assistants without one have no staff rights';
comment on column site_settings.audit_months is 'months after which entries of the audit log are deleted';
comment on column site_settings.case_months is 'months after the decision of a case when its snapshots and reports are deleted';

-- Which backups were restored into this database. A restore that is killed between its commit and the moment when its pictures are
-- in place is finished by the next one of the same backup (src/operating/backup/restored-uploads.ts).
create table restores (
  backup_sha256 bytea primary key,
  restored_at timestamptz not null default now(),
  constraint restores_length check (octet_length(backup_sha256) = 32)
);
comment on column restores.backup_sha256 is 'of what the backup says of itself';
