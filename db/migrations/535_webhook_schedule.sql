-- When a receiver gets its next request: a chat one message a minute, and who failed not at once. And what a chat was told of by the clock.
alter table webhooks rename column chat_free_at to free_at;
alter table webhooks drop column daily_told_on;
alter table webhooks add column daily_at timestamptz;
alter table webhooks add column late_until timestamptz;
comment on column webhooks.free_at is 'when the receiver may get its next request; null: at once';
comment on column webhooks.daily_at is 'when its next daily summary is due; null: it has none, or was switched on a moment ago';
comment on column webhooks.late_until is 'what waited too long until then, it was told of; null as daily_at';
