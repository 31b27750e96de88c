-- The link to set up a new forum is in a log: it is good for an hour.
alter table set_up_links add column expires_at timestamptz not null default now() + interval '1 hour';
