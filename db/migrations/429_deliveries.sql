-- What emails and pushes are to tell, and told, in one place: a row for a notification and a channel, in place of three columns of
-- notifications. The version before this one can't run on it: docs/CHANGELOG.md.

-- Through which channel beside the bell somebody is told of a notification. No row: never.
create table deliveries (
  notification_id bigint not null,
  channel text not null,
  person_id bigint not null,
  waiting_since timestamptz(3),
  sent_at timestamptz,
  constraint deliveries_pkey primary key (notification_id, channel),
  constraint deliveries_notification_fkey foreign key (notification_id) references notifications (id) on delete cascade,
  constraint deliveries_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint deliveries_channel_known check (channel in ('email', 'push'))
);
comment on column deliveries.person_id is 'as the notification has it';
comment on column deliveries.waiting_since is 'the first event that the channel has not told; null: none';
comment on column deliveries.sent_at is 'when the channel last told of it';
create index deliveries_waiting on deliveries (person_id, channel, waiting_since);
create index deliveries_old on deliveries (coalesce(sent_at, '-infinity')) where waiting_since is null;

-- From when to when events are collected that one email, or the pushes of one moment, tell of: what is in it is looked up when it
-- closes. One of events that are told at once closes MAIL_SOON_SECONDS after its last one.
create table delivery_windows (
  person_id bigint not null,
  channel text not null,
  begins_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  priority integer not null,
  constraint delivery_windows_pkey primary key (person_id, channel, ends_at),
  constraint delivery_windows_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint delivery_windows_channel_known check (channel in ('email', 'push')),
  constraint delivery_windows_order check (begins_at <= ends_at),
  constraint delivery_windows_priority_known check (priority in (1, 2))
);
comment on column delivery_windows.priority is '2: of an announcement, or of what comes daily or weekly; sent after the others';
create index delivery_windows_due on delivery_windows (channel, priority, ends_at, person_id);

-- Pushes went out with emails. Those who switched emails off are told no more than before.
alter table people
  add column push_rhythm text not null default 'mails',
  add column pushes_off text[] not null default '{}',
  add constraint people_push_rhythm_known check (push_rhythm in ('mails', 'soon', 'never')),
  add constraint people_pushes_off_few check (cardinality(pushes_off) <= 20);
comment on column people.push_rhythm is 'mails: as often as emails';
comment on column people.pushes_off is 'reasons of notifications that are not pushed';
update people set pushes_off = mails_off where mails_off <> '{}';
-- Of accounts that became another one, for an undo.
update account_merges set former = former || jsonb_build_object('push_rhythm', 'mails', 'pushes_off', former -> 'mails_off')
where former ? 'mails_off';

insert into deliveries (notification_id, channel, person_id, waiting_since, sent_at)
select notice.id, way.channel, notice.person_id, notice.unmailed_since, case way.channel when 'email' then notice.mailed_at end
from notifications as notice cross join (values ('email'), ('push')) as way (channel)
where (notice.due_at is not null or (notice.mailed_at > now() - interval '30 days' and way.channel = 'email'))
  and (way.channel = 'email' or exists (select from push_subscriptions as browser where browser.person_id = notice.person_id));

insert into delivery_windows (person_id, channel, begins_at, ends_at, priority)
select notice.person_id, delivery.channel, min(notice.unmailed_since), greatest(notice.due_at, min(notice.unmailed_since)),
  min(case when notice.announcement_id is null and notice.due_at <= notice.unmailed_since then 1 else 2 end)
from notifications as notice join deliveries as delivery on delivery.notification_id = notice.id and delivery.waiting_since is not null
group by notice.person_id, delivery.channel, notice.due_at
on conflict on constraint delivery_windows_pkey do nothing;

drop index notifications_due;
alter table notifications
  drop constraint notifications_due_of_unmailed,
  drop constraint notifications_due_unseen,
  drop column due_at,
  drop column unmailed_since,
  drop column mailed_at;
