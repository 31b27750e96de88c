-- What happened to posts and courses, for programs. A row is written in the transaction of what happened, without a number; one worker at
-- a time numbers what has committed. So the order never changes after it was read, and a long transaction holds up nobody.
create table events (
  id bigint generated always as identity primary key,
  number bigint,
  type text not null,
  course_id bigint not null references courses (id) on delete cascade,
  question_id bigint references questions (id) on delete cascade,
  answer_id bigint references answers (id) on delete cascade,
  reply_id bigint references replies (id) on delete cascade,
  announcement_id bigint references announcements (id) on delete cascade,
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
create index events_question on events (question_id) where question_id is not null;
create index events_answer on events (answer_id) where answer_id is not null;
create index events_reply on events (reply_id) where reply_id is not null;
create index events_announcement on events (announcement_id) where announcement_id is not null;
create index events_happened_at on events (happened_at);
comment on column events.number is 'the order in which programs read; null: not numbered yet, and unknown to everyone';
comment on column events.audience is
  'who could have had the post when it happened: everyone who reads the course, or its staff (and the author)';
