-- When the weekly mail to somebody who is staff of a course comes next.
create table staff_weeks (
  person_id bigint not null,
  next_at timestamptz not null,
  constraint staff_weeks_pkey primary key (person_id),
  constraint staff_weeks_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index staff_weeks_next on staff_weeks (next_at);
