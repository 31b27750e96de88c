-- Mail of what is new waits in the outbox behind the mails that an account needs, and can come back.
alter table mails
  add column is_bulk boolean not null default false,
  add column headers jsonb not null default '{}',
  add column bounced_at timestamptz,
  add constraint mails_bulk_of_person check (not is_bulk or person_id is not null),
  add constraint mails_headers_object check (jsonb_typeof(headers) = 'object');
comment on column mails.is_bulk is 'tells what is new: sent after all others, MAIL_RATE a minute';
comment on column mails.headers is 'more headers of the mail; empty once sent, as one holds a link that ends mail';
comment on column mails.bounced_at is 'when it came back though the mail server had taken it';
drop index mails_due;
create index mails_due on mails (is_bulk, due_at, id) where sent_at is null;
create index mails_bulk on mails (recipient, id) where is_bulk;
create index mails_sent on mails (sent_at) where is_bulk;
