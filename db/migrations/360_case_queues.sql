-- The queues of cases are read page by page, after the time and the id of the last one: in milliseconds, as a cursor has them. Finer
-- times would show the last case of a page again on the next. The table is as new as the cases in it.
alter table cases
  alter column opened_at type timestamptz(3),
  alter column decided_at type timestamptz(3);
-- What the admins decided, the latest first, however much the courses did.
create index cases_decided_by_admins on cases (decided_at, id) where state <> 'open' and is_for_admins;
