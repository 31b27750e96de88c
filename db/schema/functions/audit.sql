-- The audit log grows at its end, and only these functions take anything from it.

create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('handup.audit', true) = 'prune' then return old; end if;
  if tg_op = 'UPDATE' and current_setting('handup.audit', true) = 'redact' then return new; end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_append_only before update or delete on audit for each row execute function refuse_audit_change();
create trigger audit_not_emptied before truncate on audit for each statement execute function refuse_audit_change();

-- Deletes what is older, at most 1,000 entries a call, and never the last 30 days. Returns how many.
create or replace function prune_audit(kept interval) returns integer language plpgsql as $$
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
create or replace function redact_audit(entry bigint) returns boolean language plpgsql as $$
declare
  done boolean;
begin
  perform set_config('handup.audit', 'redact', true);
  update audit set subject_id = null, detail = '{}', redacted_at = now() where id = entry and redacted_at is null;
  done := found;
  perform set_config('handup.audit', '', true);
  return done;
end $$;
