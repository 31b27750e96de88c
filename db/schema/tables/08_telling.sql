-- How people are told: notifications, emails, pushes, and the jobs that send them.

-- What people are told: one row for a person and a question. A new event raises the count and makes it unseen; of several reasons the
-- strongest stays. No names, titles or texts: they are read as it is shown or mailed, with the rights of that moment.
create table notifications (
  id bigint generated always as identity primary key,
  person_id bigint not null,
  question_id bigint,
  reason text not null,
  count integer not null default 1,
  first_answer_id bigint,
  first_reply_id bigint,
  since_at timestamptz(3) not null,
  happened_at timestamptz(3) not null,
  seen_at timestamptz,
  due_at timestamptz,
  unmailed_since timestamptz(3),
  mailed_at timestamptz,
  announcement_id bigint,
  accepted_at timestamptz(3),
  endorsed_at timestamptz(3),
  overdue_at timestamptz(3),
  clarify_at timestamptz(3),
  case_id bigint,
  constraint notifications_announcement_key unique (person_id, announcement_id),
  constraint notifications_subject_key unique (person_id, question_id),
  constraint notifications_announcement_fkey foreign key (announcement_id) references announcements (id) on delete cascade,
  constraint notifications_answer_fkey foreign key (first_answer_id) references answers (id) on delete set null,
  constraint notifications_case_fkey foreign key (case_id) references cases (id) on delete cascade,
  constraint notifications_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint notifications_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint notifications_reply_fkey foreign key (first_reply_id) references replies (id) on delete set null,
  constraint notifications_announcement_reason check ((announcement_id is not null) = (reason = 'announcement')),
  constraint notifications_case_reason check ((case_id is not null) = (reason in ('case', 'objection', 'report', 'measure',
    'objected'))),
  constraint notifications_count_positive check (count > 0),
  constraint notifications_due_of_unmailed check ((due_at is null) = (unmailed_since is null)),
  constraint notifications_due_unseen check (due_at is null or seen_at is null),
  constraint notifications_one_subject check (num_nonnulls(question_id, announcement_id, case_id) = 1),
  constraint notifications_reason_known check (reason in ('mention', 'answered', 'accepted', 'endorsed', 'reply', 'clarification',
    'promise', 'flag', 'announcement', 'followed', 'question', 'case', 'objection', 'report', 'measure', 'objected'))
);
comment on column notifications.since_at is 'the first event that was not seen: what the entry shows begins there';
comment on column notifications.due_at is
  'when a mail may tell of it; for ''soon'' the time of the first event, to which the sender adds MAIL_SOON_SECONDS. null: no mail';
comment on column notifications.unmailed_since is 'the first event that no mail told: what the mail shows begins there';
comment on column notifications.accepted_at is 'when it was told that an answer of the person was accepted';
comment on column notifications.endorsed_at is 'when it was told that staff endorsed an answer of the person';
comment on column notifications.overdue_at is 'when it was told that the question waits for longer than its course promises';
comment on column notifications.clarify_at is 'when the person was reminded that staff wait for a clarification of the question';
create index notifications_announcement on notifications (announcement_id) where announcement_id is not null;
create index notifications_answer on notifications (first_answer_id) where first_answer_id is not null;
create index notifications_case on notifications (case_id) where case_id is not null;
create unique index notifications_case_key on notifications (person_id, case_id);
create index notifications_due on notifications (( case when ((announcement_id is null) and (due_at <= unmailed_since)) then 1 else
  2 end), due_at, person_id) where due_at is not null;
create index notifications_listed on notifications (person_id, happened_at, id);
-- What the hourly sweeps of old notifications and of accounts that were never confirmed find their rows by: src/database/terms.ts.
create index notifications_old on notifications (happened_at);
create index notifications_question on notifications (question_id);
create index notifications_reply on notifications (first_reply_id) where first_reply_id is not null;

-- Mail to be sent. The transaction of the event writes the row, so that the mail exists exactly when the event happened; a job
-- sends it, and retries until the mail server accepts it. Without a mail server admins read it in the forum.
create table mails (
  id bigint generated always as identity primary key,
  key uuid not null default gen_random_uuid() unique,
  person_id bigint,
  kind text not null,
  recipient text not null,
  language text not null,
  subject text not null,
  text text not null,
  html text not null,
  written_at timestamptz not null default now(),
  sent_at timestamptz,
  is_bulk boolean not null default false,
  headers jsonb not null default '{}'::jsonb,
  bounced_at timestamptz,
  tells jsonb not null default '[]'::jsonb,
  is_broadcast boolean not null default false,
  constraint mails_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mails_broadcast_is_bulk check (is_bulk or not is_broadcast),
  constraint mails_headers_object check (jsonb_typeof(headers) = 'object'),
  constraint mails_html_length check (octet_length(html) <= 20000000),
  constraint mails_kind_length check (char_length(kind) between 1 and 50),
  constraint mails_language_known check (language in ('en', 'ko')),
  constraint mails_recipient_form check (char_length(recipient) between 3 and 254 and position(('@') in (recipient)) > 1 and
    recipient !~ '[[:cntrl:][:space:]]'),
  constraint mails_subject_form check (char_length(subject) between 1 and 200 and subject !~ '[[:cntrl:]]'),
  constraint mails_tells_array check (jsonb_typeof(tells) = 'array'),
  constraint mails_text_length check (octet_length(text) <= 20000000)
);
comment on column mails.key is 'in the Message-ID, the same at each try: mail servers recognise a second copy by it';
comment on column mails.text is 'empty once sent: it may hold a link that opens an account';
comment on column mails.is_bulk is 'tells what is new, or invites: sent after all others, MAIL_RATE a minute';
comment on column mails.headers is 'more headers of the mail; empty once sent, as one holds a link that ends mail';
comment on column mails.bounced_at is 'when it came back though the mail server had taken it';
comment on column mails.tells is
  'what to look up again as it is sent: notifications and since when, or the course that it invites to; empty once sent';
comment on column mails.is_broadcast is 'to very many at once: an announcement, what comes daily or weekly, an invitation';
create index mails_bulk on mails (recipient, id) where is_bulk;
create index mails_person on mails (person_id);
create index mails_sent on mails (sent_at) where is_bulk;
create index mails_unsent on mails (person_id) where sent_at is null;
create index mails_written on mails (written_at, id);

-- Answering by mail. A key stands in the Reply-To of a mail: whoever sends from the person's own address with it posts as that person.
-- With a column token_hash, so that no backup has it.
create table reply_keys (
  token_hash bytea primary key,
  person_id bigint not null,
  question_id bigint not null,
  answer_id bigint,
  is_answer boolean not null,
  made_at timestamptz not null default now(),
  constraint reply_keys_answer_fkey foreign key (question_id, answer_id) references answers (question_id, id) on delete cascade,
  constraint reply_keys_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint reply_keys_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint reply_keys_answer_of_reply check (answer_id is null or not is_answer),
  constraint reply_keys_token_hash_length check (octet_length(token_hash) = 32)
);
comment on column reply_keys.is_answer is 'what is sent becomes an answer; else a reply, under answer_id or under the question';
create index reply_keys_made on reply_keys (made_at);
create index reply_keys_person on reply_keys (person_id);
create index reply_keys_question on reply_keys (question_id, answer_id);

-- Each mail once, whoever delivers it again.
create table incoming_mails (
  message_id text primary key,
  received_at timestamptz not null default now(),
  outcome text not null,
  constraint incoming_mails_message_id_length check (char_length(message_id) between 1 and 300)
);
create index incoming_mails_received on incoming_mails (received_at);

-- Browsers that are told what is new by web push. Not in backups, as sessions are not: each belongs to one, and ends with it.
create table push_subscriptions (
  id bigint generated always as identity primary key,
  token_hash bytea not null,
  person_id bigint not null,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  server_key text not null,
  created_at timestamptz not null default now(),
  last_sent_at timestamptz,
  constraint push_subscriptions_session_key unique (token_hash),
  constraint push_subscriptions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint push_subscriptions_session_fkey foreign key (token_hash) references sessions (token_hash) on delete cascade,
  constraint push_subscriptions_auth_form check (auth ~ '^[A-Za-z0-9_-]{22}$'),
  constraint push_subscriptions_endpoint_form check (endpoint ~ '^https://[a-z0-9.-]+/' and char_length(endpoint) <= 1000),
  constraint push_subscriptions_p256dh_form check (p256dh ~ '^[A-Za-z0-9_-]{87}$'),
  constraint push_subscriptions_server_key_form check (server_key ~ '^[A-Za-z0-9_-]{87}$')
);
comment on column push_subscriptions.token_hash is 'of the session that it belongs to';
comment on column push_subscriptions.server_key is
  'the public key of the forum that the browser takes pushes of: with another one it gets none';
create index push_subscriptions_person on push_subscriptions (person_id, id);

-- What is to be done after a transaction: one table for all kinds of work, one runner (src/jobs). The transaction that makes the work
-- necessary writes the row. Rows are only added and removed, never merged: two posts under one question must not wait for each
-- other. Those of one kind and key that are due together are done as one.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null,
  key text not null,
  is_bulk boolean not null default false,
  queued_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  give_up_at timestamptz not null default now() + '3 days'::interval,
  tries integer not null default 0,
  last_error text,
  priority smallint not null default 0,
  constraint jobs_key_length check (char_length(key) between 1 and 100),
  constraint jobs_kind_form check (kind ~ '^[a-z-]{1,30}$'),
  constraint jobs_last_error_length check (char_length(last_error) <= 500),
  constraint jobs_priority_known check (priority between 0 and 2),
  constraint jobs_tries_positive check (tries >= 0)
);
comment on column jobs.key is 'what it is about, such as the id of a mail: no data';
comment on column jobs.is_bulk is 'written by nothing: version 0.2 reads it while it is replaced';
comment on column jobs.due_at is 'when to try next; during a try, when another process may, in case this one died';
comment on column jobs.give_up_at is 'not tried after this; the time of a permanent refusal';
comment on column jobs.priority is '0 is done first; 1 and 2 share what is left, four to one';
create index jobs_due on jobs (kind, priority, due_at, id);
create index jobs_key on jobs (kind, key);
