-- Posts that wait to be let through: why each does, which a course holds, and what staff and authors are told.
alter table questions add column held_for text;
alter table answers add column held_for text;
alter table replies add column held_for text;
alter table questions add constraint questions_held_for_known check (held_for in ('all', 'newcomers', 'unconfirmed', 'hosts',
  'same-text', 'words', 'links', 'address', 'hidden-field', 'reports', 'service', 'source')) not valid;
alter table answers add constraint answers_held_for_known check (held_for in ('all', 'newcomers', 'unconfirmed', 'hosts',
  'same-text', 'words', 'links', 'address', 'hidden-field', 'reports', 'service', 'source')) not valid;
alter table replies add constraint replies_held_for_known check (held_for in ('all', 'newcomers', 'unconfirmed', 'hosts',
  'same-text', 'words', 'links', 'address', 'hidden-field', 'reports', 'service', 'source')) not valid;
update questions set held_for = 'source' where held_at is not null;
update answers set held_for = 'source' where held_at is not null;
update replies set held_for = 'source' where held_at is not null;
alter table questions add constraint questions_held_for_held check ((held_at is null) = (held_for is null)) not valid;
alter table answers add constraint answers_held_for_held check ((held_at is null) = (held_for is null)) not valid;
alter table replies add constraint replies_held_for_held check ((held_at is null) = (held_for is null)) not valid;
comment on column questions.held_for is
  'this and the same column of answers and replies: why it is held: the course holds all posts or those of newcomers, or what was noticed';

alter table courses add column hold text not null default 'none';
alter table courses add column held_told_at timestamptz;
update courses set hold = 'signals' where is_public;
alter table courses add constraint courses_hold_known check (hold in ('none', 'signals', 'newcomers', 'all'));
comment on column courses.hold is 'which posts wait to be let through: none, those of strangers that a signal points at, all of strangers, all';
comment on column courses.held_told_at is 'when staff were last told that posts wait';

alter table course_members add column is_given boolean not null default true;
comment on column course_members.is_given is
  'false: they made themselves a learner, by what they wrote or the button to join, so that they may be strangers here';

alter table notifications add column held_at timestamptz(3);
alter table notifications add column released_at timestamptz(3);
alter table notifications drop constraint notifications_reason_known;
alter table notifications add constraint notifications_reason_known check (reason in ('mention', 'answered', 'accepted', 'endorsed',
  'released', 'reply', 'clarification', 'promise', 'held', 'moved', 'converted', 'flag', 'announcement', 'followed', 'question', 'case',
  'objection', 'report', 'measure', 'objected')) not valid;
comment on column notifications.held_at is 'when it was told that posts of the course wait to be let through';
comment on column notifications.released_at is 'when it was told that a post of the person was let through';
