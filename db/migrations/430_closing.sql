-- Why staff closed a question to new answers. answers_closed_at says since when: while this holds, or a measure that does the same.
alter table questions add column closing_reason text;
alter table questions add constraint questions_closing_reason_known
  check (closing_reason in ('off-topic', 'solved-elsewhere', 'unclear', 'heated')) not valid;
alter table questions add constraint questions_closed_for_a_reason
  check (closing_reason is null or answers_closed_at is not null) not valid;
-- What is closed waits for nobody.
alter table questions drop constraint questions_closed_at_of_closed;
alter table questions add constraint questions_closed_at_of_closed
  check ((closed_at is null) = (status = 'unresolved' and duplicate_of is null and closing_reason is null)) not valid;
comment on column questions.closing_reason is 'why staff closed it to new answers; null: they did not, though a measure may have';
comment on column questions.closed_at is 'when it became resolved, a duplicate or closed by staff; null: it is none. Kept by a trigger';
