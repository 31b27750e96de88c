-- A case is told as a question is: one row for a person and what it is about. To staff that it waits, to who reported what became of
-- it, to the person it is about what was decided.
alter table notifications
  add column case_id bigint,
  add constraint notifications_case_fkey foreign key (case_id) references cases (id) on delete cascade not valid,
  drop constraint notifications_one_subject,
  add constraint notifications_one_subject check (num_nonnulls(question_id, announcement_id, case_id) = 1) not valid,
  add constraint notifications_case_reason check (
    (case_id is not null) = (reason in ('case', 'objection', 'report', 'measure', 'objected'))) not valid,
  drop constraint notifications_reason_known,
  add constraint notifications_reason_known check (reason in (
    'mention', 'answered', 'accepted', 'endorsed', 'reply', 'clarification', 'promise', 'flag', 'announcement', 'followed',
    'question', 'case', 'objection', 'report', 'measure', 'objected')) not valid;
