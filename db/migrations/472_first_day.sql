-- What strangers may post on their first day, where the forum looks at them with care; and the posts that wait for a confirmed address.
alter table site_settings add column first_day_questions integer not null default 3;
alter table site_settings add column first_day_posts integer not null default 10;
alter table site_settings add column first_day_hosts integer not null default 2;
alter table site_settings add constraint site_settings_first_day check (
  first_day_questions between 1 and 1000 and first_day_posts between 1 and 1000 and first_day_hosts between 1 and 1000);
comment on column site_settings.first_day_questions is 'questions that a stranger may ask on the first day';
comment on column site_settings.first_day_posts is 'answers and replies that a stranger may post on the first day';
comment on column site_settings.first_day_hosts is 'hosts unknown to a course that a post of a stranger may link to and is not held';
