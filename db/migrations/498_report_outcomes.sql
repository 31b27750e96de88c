-- What became of the reports of a course is told by email together, the next morning where the reporter is.
alter table reports add column outcome_due_at timestamptz;
comment on column reports.outcome_due_at is 'when its outcome is told by email; null: it was, or there is none';
