-- What checks of the forum found that read all of it: /admin shows the last result with its time.
create table noted_checks (
  name text primary key,
  found integer not null,
  checked_at timestamptz not null default now(),
  constraint noted_checks_name_length check (char_length(name) between 1 and 40),
  constraint noted_checks_found_positive check (found >= 0)
);
