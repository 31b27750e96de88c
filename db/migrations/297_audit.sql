-- What staff and admins did, and people's own sign-in events: plain ids without foreign keys, so that departures and purges
-- need not touch it, and no names, addresses or texts.
create table audit (
  id bigint generated always as identity primary key,
  happened_at timestamptz not null default now(),
  act text not null,
  actor_id bigint,
  role text not null,
  course_id bigint,
  subject_kind text,
  subject_id bigint,
  detail jsonb not null default '{}',
  redacted_at timestamptz,
  constraint audit_act_word check (act ~ '^[a-z][a-z-]{1,40}$'),
  constraint audit_role_known check
    (role in ('self', 'visitor', 'outsider', 'learner', 'assistant', 'instructor', 'admin', 'operator', 'forum')),
  constraint audit_subject_kind_word check (subject_kind ~ '^[a-z][a-z-]{1,20}$'),
  constraint audit_subject_whole check (subject_id is null or subject_kind is not null),
  constraint audit_detail_bounded check (jsonb_typeof(detail) = 'object' and pg_column_size(detail) < 2000)
);
comment on table audit is 'append-only: prune_audit deletes by age, redact_audit empties an entry';
comment on column audit.role is 'in which role the actor acted, as it was then; self: an act on one''s own account';
create index audit_happened on audit (happened_at, id);
create index audit_course on audit (course_id, happened_at, id);
create index audit_actor on audit (actor_id, happened_at, id);
create index audit_subject on audit (subject_kind, subject_id, happened_at, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('handup.audit', true) = 'prune' then return old; end if;
  if tg_op = 'UPDATE' and current_setting('handup.audit', true) = 'redact' then return new; end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_append_only before update or delete on audit for each row execute function refuse_audit_change();
create trigger audit_not_emptied before truncate on audit for each statement execute function refuse_audit_change();

-- Deletes what is older, at most 1,000 entries a call, and never the last 30 days. Returns how many.
create function prune_audit(kept interval) returns integer language plpgsql as $$
declare
  deleted integer;
begin
  perform set_config('handup.audit', 'prune', true);
  delete from audit where id in (
    select id from audit where happened_at < now() - greatest(kept, interval '30 days') order by happened_at, id limit 1000);
  get diagnostics deleted = row_count;
  perform set_config('handup.audit', '', true);
  return deleted;
end $$;

-- Empties what an entry is about; when, who and what stay. Returns whether there was such an entry.
create function redact_audit(entry bigint) returns boolean language plpgsql as $$
declare
  done boolean;
begin
  perform set_config('handup.audit', 'redact', true);
  update audit set subject_id = null, detail = '{}', redacted_at = now() where id = entry and redacted_at is null;
  done := found;
  perform set_config('handup.audit', '', true);
  return done;
end $$;

alter table site_settings
  add column audit_months integer not null default 24,
  add constraint site_settings_audit_months check (audit_months between 1 and 120);
comment on column site_settings.audit_months is 'months after which entries of the audit log are deleted';
