-- In steps
create index concurrently if not exists reports_outcome_due on reports (outcome_due_at) where outcome_due_at is not null;
