-- Mail to be sent. The transaction of the event writes the row, so that the mail exists exactly when the event happened; a job
-- sends it, and retries until the mail server accepts it. Without a mail server admins read it in the forum.
create table mails (
  id bigint generated always as identity primary key,
  key uuid not null default gen_random_uuid(),
  person_id bigint,
  kind text not null,
  recipient text not null,
  language text not null,
  subject text not null,
  text text not null,
  html text not null,
  written_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  give_up_at timestamptz not null default now() + interval '3 days',
  tries integer not null default 0,
  last_error text,
  sent_at timestamptz,
  constraint mails_key_key unique (key),
  constraint mails_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mails_kind_length check (char_length(kind) between 1 and 50),
  constraint mails_recipient_form check (char_length(recipient) between 3 and 254 and position('@' in recipient) > 1 and recipient !~ '[[:cntrl:][:space:]]'),
  constraint mails_language_known check (language in ('en', 'ko')),
  constraint mails_subject_form check (char_length(subject) between 1 and 200 and subject !~ '[[:cntrl:]]'),
  constraint mails_last_error_length check (char_length(last_error) <= 500),
  constraint mails_tries_positive check (tries >= 0)
);
comment on column mails.key is 'in the Message-ID, the same at each try: mail servers recognise a second copy by it';
comment on column mails.due_at is 'when to try next; during a try, when another process may, in case this one died';
comment on column mails.give_up_at is 'not tried after this; the time of a permanent refusal';
comment on column mails.text is 'empty once sent: it may hold a link that opens an account';
create index mails_due on mails (due_at, id) where sent_at is null;
create index mails_written on mails (written_at, id);
create index mails_person on mails (person_id);
