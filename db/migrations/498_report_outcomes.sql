-- What became of the reports of a course is told by email together, the next morning where the reporter is.
alter table reports add column outcome_due_at timestamptz;
comment on column reports.outcome_due_at is 'when its outcome is told by email; null: it was, or there is none';
-- What an earlier version has queued.
update reports set outcome_due_at = now() from jobs
where jobs.kind = 'statement' and jobs.key ~ '^outcome-[0-9]+$' and reports.id = substr(jobs.key, 9)::bigint;
