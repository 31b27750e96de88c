-- What staff did to a spammer as one act: its case has who, whom, where, when and the measures. An undo knows by it what is its own.
create table spammer_acts (
  case_id bigint primary key references cases (id) on delete cascade,
  blocked_ids bigint[] not null default '{}',
  undone_at timestamptz(3),
  undone_by bigint references people (id) on delete set null,
  constraint spammer_acts_blocked_bounded check (cardinality(blocked_ids) <= 100),
  constraint spammer_acts_undone check (undone_by is null or undone_at is not null)
);
create index spammer_acts_undone_by on spammer_acts (undone_by) where undone_by is not null;
comment on column spammer_acts.blocked_ids is 'entries that it added to a blocklist: their ids are never given again, and one that is gone is nothing to take back';
