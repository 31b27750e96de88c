-- What a decision does, each of it with its own beginning and end, and liftable by itself.
create table measures (
  id bigint generated always as identity primary key,
  case_id bigint not null,
  kind text not null,
  person_id bigint,
  course_id bigint,
  is_everywhere boolean not null default false,
  former_name text,
  starts_at timestamptz not null default now(),
  ends_at timestamptz,
  made_by bigint,
  ended_at timestamptz,
  ended_by bigint,
  ended_how text,
  end_note text not null default '',
  constraint measures_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint measures_person_fkey foreign key (person_id) references people (id) on delete set null,
  constraint measures_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint measures_maker_fkey foreign key (made_by) references people (id) on delete set null,
  constraint measures_ender_fkey foreign key (ended_by) references people (id) on delete set null,
  constraint measures_kind_known check (kind in ('hide', 'delete', 'close', 'private', 'reset-name', 'warn', 'suspend')),
  constraint measures_place check (not is_everywhere or course_id is null),
  constraint measures_suspends_somewhere check (kind <> 'suspend' or is_everywhere or course_id is not null),
  constraint measures_former_name check ((kind = 'reset-name') = (former_name is not null)),
  constraint measures_end_after_start check (ends_at > starts_at),
  constraint measures_ended check ((ended_at is null) = (ended_how is null)),
  constraint measures_ended_how_known check (ended_how in ('over', 'lifted', 'objection')),
  constraint measures_texts_length check (char_length(end_note) <= 5000 and char_length(former_name) <= 50),
  constraint measures_one_of_a_kind unique (case_id, kind)
);
comment on column measures.starts_at is 'the time of its transaction: what a measure deleted was deleted then, and comes back with its end';
comment on column measures.ends_at is 'null: no end';
comment on column measures.ended_at is 'when it was lifted, or was over; null: in force, but for warnings, which are said once';
comment on column measures.former_name is 'the display name that was reset: it can''t be chosen again while this is in force';
create index measures_person on measures (person_id) where person_id is not null;
create index measures_suspended on measures (person_id) where kind = 'suspend' and ended_at is null;
create index measures_ending on measures (ends_at) where ends_at is not null and ended_at is null;
create index measures_course on measures (course_id) where course_id is not null;
create index measures_maker on measures (made_by) where made_by is not null;
create index measures_ender on measures (ended_by) where ended_by is not null;

-- What the person says to a measure, once, and what somebody else answers.
create table objections (
  measure_id bigint primary key,
  note text not null,
  made_at timestamptz not null default now(),
  outcome text,
  answer text not null default '',
  answered_at timestamptz,
  answered_by bigint,
  constraint objections_measure_fkey foreign key (measure_id) references measures (id) on delete cascade,
  constraint objections_answerer_fkey foreign key (answered_by) references people (id) on delete set null,
  constraint objections_outcome_known check (outcome in ('keep', 'lift')),
  constraint objections_answered check ((outcome is null) = (answered_at is null)),
  constraint objections_texts_length check (char_length(note) between 1 and 5000 and char_length(answer) <= 5000)
);
create index objections_waiting on objections (made_at, measure_id) where answered_at is null;
create index objections_answerer on objections (answered_by) where answered_by is not null;
