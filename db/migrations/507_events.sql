-- What happened to posts and courses, for programs. A row is written in the transaction of what happened, without a number; one worker at
-- a time numbers what has committed. So the order never changes after it was read, and a long transaction holds up nobody.
-- Posts are named without foreign keys: that one was removed is told after its row is gone, too.
create table events (
  id bigint generated always as identity primary key,
  number bigint,
  type text not null,
  course_id bigint not null references courses (id) on delete cascade,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  announcement_id bigint,
  audience text not null,
  happened_at timestamptz(3) not null default now(),
  constraint events_number_once unique (number),
  constraint events_number_positive check (number > 0),
  constraint events_audience_known check (audience in ('course', 'staff')),
  constraint events_type_known check (type in (
    'question.created', 'question.edited', 'question.removed', 'question.restored', 'question.resolved', 'question.reopened',
    'question.closed', 'question.moved',
    'answer.created', 'answer.edited', 'answer.removed', 'answer.restored', 'answer.accepted', 'answer.unaccepted', 'answer.endorsed',
    'reply.created', 'reply.edited', 'reply.removed', 'reply.restored',
    'announcement.posted', 'announcement.corrected', 'course.imported')),
  constraint events_subject check (case split_part(type, '.', 1)
    when 'question' then question_id is not null and num_nonnulls(answer_id, reply_id, announcement_id) = 0
    when 'answer' then num_nonnulls(question_id, answer_id) = 2 and num_nonnulls(reply_id, announcement_id) = 0
    when 'reply' then num_nonnulls(question_id, reply_id) = 2 and announcement_id is null
    when 'announcement' then announcement_id is not null and num_nonnulls(question_id, answer_id, reply_id) = 0
    else num_nonnulls(question_id, answer_id, reply_id, announcement_id) = 0 end)
);
create index events_unnumbered on events (id) where number is null;
create index events_course on events (course_id, number);
create index events_question on events (question_id, number) where question_id is not null;
create index events_happened_at on events (happened_at);
comment on column events.number is 'the order in which programs read; null: not numbered yet, and unknown to everyone';
comment on column events.answer_id is 'of a reply: the answer that it is under';
comment on column events.audience is
  'who could have had the post when it happened: everyone who reads the course, or its staff and who asked';

-- One row that says which events there are, made as the first one is numbered or asked for. It is in no backup, and neither are they: a
-- restored forum begins anew, and knows cursors of before by their epoch.
create table event_log (
  is_only boolean primary key default true,
  epoch text not null default replace(gen_random_uuid()::text, '-', ''),
  numbered_to bigint not null default 0,
  forgotten_to bigint not null default 0,
  constraint event_log_only_row check (is_only),
  constraint event_log_epoch_form check (epoch ~ '^[0-9a-f]{32}$'),
  constraint event_log_forgotten check (forgotten_to between 0 and numbered_to)
);
comment on column event_log.epoch is 'the key of its cursors, which say nothing of how much happened';
comment on column event_log.numbered_to is 'the number of the last event';
comment on column event_log.forgotten_to is 'the last number that was deleted as too old: the first that can be read comes after it';
