-- A network gives a question only so many new visitors an hour: whoever calls itself another browser each time is one network.
alter table question_views
  add column network bytea,
  add column seen_at timestamptz not null default now(),
  add constraint question_views_network_length check (octet_length(network) = 16);
create index question_views_network on question_views (question_id, network, seen_at);
comment on column question_views.network is 'keyed hash that changes every day; null: of somebody signed in, who is limited by their account';
