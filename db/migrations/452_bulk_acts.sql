-- What staff do to several posts or cases at once: who did it, what became of each, and what an undo needs.
create table bulk_acts (
  id bigint generated always as identity primary key,
  course_id bigint references courses (id) on delete cascade,
  act text not null,
  input jsonb not null,
  made_by bigint references people (id) on delete set null,
  made_at timestamptz(3) not null default now(),
  undone_at timestamptz(3),
  constraint bulk_acts_act_word check (act ~ '^[a-z][a-z-]{1,40}$'),
  constraint bulk_acts_input_bounded check (jsonb_typeof(input) = 'object' and pg_column_size(input) < 40000)
);
create index bulk_acts_course on bulk_acts (course_id) where course_id is not null;
create index bulk_acts_made_by on bulk_acts (made_by) where made_by is not null;
create index bulk_acts_made_at on bulk_acts (made_at);
comment on column bulk_acts.course_id is 'null: of the forum, by admins';
comment on column bulk_acts.input is 'what was chosen for all of them, such as a lecture, by the names of the form''s fields';

create table bulk_items (
  bulk_id bigint references bulk_acts (id) on delete cascade,
  position smallint,
  kind text not null,
  subject_id bigint not null,
  outcome text,
  why jsonb,
  undo jsonb,
  undo_outcome text,
  undo_why jsonb,
  primary key (bulk_id, position),
  constraint bulk_items_position_bounds check (position between 1 and 100),
  constraint bulk_items_kind_known check (kind in ('question', 'answer', 'reply', 'case')),
  constraint bulk_items_once unique (bulk_id, kind, subject_id),
  constraint bulk_items_outcome_known check (outcome in ('done', 'unchanged', 'refused')),
  constraint bulk_items_undo_outcome_known check (undo_outcome in ('done', 'unchanged', 'refused')),
  constraint bulk_items_why check ((why is not null) = (outcome is not distinct from 'refused')),
  constraint bulk_items_undo check (undo is null or outcome = 'done'),
  constraint bulk_items_undo_why check ((undo_why is not null) = (undo_outcome is not distinct from 'refused'))
);
comment on column bulk_items.outcome is 'null: it was not done yet, or the forum stopped before';
comment on column bulk_items.why is 'messages of our catalogues: [{key, values}]';
comment on column bulk_items.undo is 'what taking it back needs, such as the lecture before';
