-- Which backups were restored into this database. A restore that is killed between its commit and the moment when its pictures are
-- in place is finished by the next one of the same backup (src/operating/backup/restored-uploads.ts).
create table restores (
  backup_sha256 bytea not null,
  restored_at timestamptz not null default now(),
  constraint restores_pkey primary key (backup_sha256),
  constraint restores_length check (octet_length(backup_sha256) = 32)
);
comment on column restores.backup_sha256 is 'of what the backup says of itself';
