-- Two accounts of one person that an admin merged: the number of the closed one leads to the other for good. What is needed to undo it
-- is kept for seven days: the closed account as it was, and each row that changed.
create table account_merges (
  id bigint generated always as identity primary key,
  from_id bigint not null,
  into_id bigint not null,
  merged_by bigint,
  merged_at timestamptz not null default now(),
  -- The closed account's row of people, without its number; null: the merge can no longer be undone.
  former jsonb,
  constraint account_merges_from_fkey foreign key (from_id) references people (id) on delete cascade,
  constraint account_merges_into_fkey foreign key (into_id) references people (id) on delete cascade,
  constraint account_merges_merged_by_fkey foreign key (merged_by) references people (id) on delete set null,
  constraint account_merges_from_key unique (from_id),
  constraint account_merges_of_two check (from_id <> into_id)
);
create index account_merges_into on account_merges (into_id, id);
create index account_merges_merged_by on account_merges (merged_by);
create index account_merges_undoable on account_merges (merged_at) where former is not null;

-- With a column: the key of a row of which this column named the closed account. Without: a whole row, as it was before, or is since.
create table account_merge_rows (
  merge_id bigint not null,
  table_name text not null,
  column_name text,
  is_before boolean not null,
  content jsonb not null,
  constraint account_merge_rows_merge_fkey foreign key (merge_id) references account_merges (id) on delete cascade
);
create index account_merge_rows_merge on account_merge_rows (merge_id, table_name);
