-- What the hourly sweeps of old notifications and of accounts that were never confirmed find their rows by: src/database/terms.ts.
create index notifications_old on notifications (happened_at);
create index people_unconfirmed on people (joined_at) where email is not null and email_confirmed_at is null;
