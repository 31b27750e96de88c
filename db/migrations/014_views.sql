-- One row per visitor, question and day; visitor is a keyed hash that changes every day. Unlogged: after a crash of the
-- server a visitor may count twice that day, and a view costs half the writing.
-- A network counts only a limited number of new visitors per question and hour, however many browsers it pretends to be.
create unlogged table question_views (
  question_id bigint not null,
  day date not null,
  visitor bytea not null,
  network bytea,
  seen_at timestamptz not null default now(),
  constraint question_views_pkey primary key (day, question_id, visitor),
  constraint question_views_network_length check (octet_length(network) = 16)
);
comment on column question_views.network is 'keyed hash that changes every day; null: of somebody signed in, who is limited by their account';
create index question_views_network on question_views (question_id, network, seen_at);
