-- Addresses that are told what happens in a course, or in the forum: programs, and the chat of a course.
create table webhooks (
  id bigint generated always as identity primary key,
  course_id bigint references courses (id) on delete cascade,
  owner_id bigint references people (id) on delete set null,
  kind text not null,
  address bytea not null,
  shown_address text not null,
  secret bytea,
  former_secret bytea,
  former_secret_until timestamptz,
  types text[] not null default '{}',
  chat text[] not null default '{}',
  with_names boolean not null default false,
  with_private boolean not null default false,
  stopped text,
  stopped_at timestamptz,
  failing_since timestamptz,
  told_at timestamptz,
  free_at timestamptz,
  daily_at timestamptz,
  late_until timestamptz,
  created_at timestamptz(3) not null default now(),
  constraint webhooks_kind_known check (kind in ('slack', 'discord', 'teams', 'standard')),
  constraint webhooks_types_known check (types <@ array[
    'question.created', 'question.edited', 'question.removed', 'question.restored', 'question.resolved', 'question.reopened',
    'question.closed', 'question.moved',
    'answer.created', 'answer.edited', 'answer.removed', 'answer.restored', 'answer.accepted', 'answer.unaccepted', 'answer.endorsed',
    'reply.created', 'reply.edited', 'reply.removed', 'reply.restored',
    'announcement.posted', 'announcement.corrected', 'course.imported']),
  constraint webhooks_chat_known check (chat <@ array['new', 'late', 'daily']),
  constraint webhooks_secret_of_standard check ((secret is not null) = (kind = 'standard')),
  constraint webhooks_former_secret check ((former_secret is null) = (former_secret_until is null) and (former_secret is null or secret is not null)),
  constraint webhooks_chat_of_kind check (case kind when 'standard' then cardinality(chat) = 0
    else cardinality(types) = 0 and not with_private end),
  constraint webhooks_stopped_known check (stopped in ('owner', 'failing', 'gone', 'restored')),
  constraint webhooks_stopped_at check ((stopped is null) = (stopped_at is null)),
  constraint webhooks_told_of_stop check (told_at is null or stopped is not null)
);
create index webhooks_course on webhooks (course_id, id);
create index webhooks_owner on webhooks (owner_id) where owner_id is not null;
comment on column webhooks.course_id is 'null: of the forum, by admins';
comment on column webhooks.owner_id is 'whose rights it has; null: the account is gone, and it is stopped until someone takes it over';
comment on column webhooks.address is 'sealed (src/secrets), as the address of a chat is a secret';
comment on column webhooks.shown_address is 'its host and the last characters, for people to tell it from others';
comment on column webhooks.secret is 'sealed; the key that signs, of standard ones';
comment on column webhooks.former_secret is 'sealed; signs beside the new one until former_secret_until';
comment on column webhooks.stopped is
  'null: it is on; owner: who it belonged to may not any more; failing: for three days; gone: its receiver said so; restored: of a backup';
comment on column webhooks.told_at is 'when staff got the email that it stopped; null: it is on, or they are told next';
comment on column webhooks.free_at is 'when the receiver may get its next request; null: at once';
comment on column webhooks.daily_at is 'when its next daily summary is due; null: it has none, or was switched on a moment ago';
comment on column webhooks.late_until is 'what waited too long until then, it was told of; null as daily_at';

create table webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhooks (id) on delete cascade,
  message_id text not null,
  what text not null,
  event_id bigint references events (id) on delete cascade,
  planned_at timestamptz(3) not null default now(),
  due_at timestamptz(3) not null,
  tries integer not null default 0,
  tried_at timestamptz(3),
  outcome text,
  done_at timestamptz(3),
  constraint webhook_deliveries_message_once unique (message_id),
  constraint webhook_deliveries_event_once unique (webhook_id, event_id),
  constraint webhook_deliveries_what_known check (what in ('event', 'test', 'late', 'daily')),
  constraint webhook_deliveries_event check ((what = 'event') = (event_id is not null)),
  constraint webhook_deliveries_tries_positive check (tries >= 0)
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where done_at is null;
create index webhook_deliveries_recent on webhook_deliveries (webhook_id, id desc);
create index webhook_deliveries_planned_at on webhook_deliveries (planned_at);
create index webhook_deliveries_event on webhook_deliveries (event_id) where event_id is not null;
comment on column webhook_deliveries.message_id is 'the webhook-id of the request, the same over retries';
comment on column webhook_deliveries.outcome is
  'of the last try: a status such as 204, unreachable, or dropped: what it was about may not be told any more; null: not tried';
comment on column webhook_deliveries.done_at is 'null: it waits for its first or next try';
