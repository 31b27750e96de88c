-- People are told that a question moved to another course, and that a reply of theirs became an answer or the reverse.
alter table notifications add column moved_at timestamptz(3), add column converted_at timestamptz(3);
alter table notifications drop constraint notifications_reason_known;
alter table notifications add constraint notifications_reason_known check (reason in ('mention', 'answered', 'accepted', 'endorsed',
  'reply', 'clarification', 'promise', 'moved', 'converted', 'flag', 'announcement', 'followed', 'question', 'case', 'objection',
  'report', 'measure', 'objected')) not valid;
comment on column notifications.moved_at is 'when it was told that the question moved to another course';
comment on column notifications.converted_at is 'when it was told that a reply of the person became an answer, or an answer a reply';
