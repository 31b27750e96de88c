-- Whom a post mentions: they are told of it, and follow the question from then on.
create table mentions (
  person_id bigint not null,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  mentioned_at timestamptz(3) not null,
  constraint mentions_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint mentions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint mentions_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint mentions_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint mentions_one_post check (num_nonnulls(question_id, answer_id, reply_id) = 1),
  constraint mentions_key unique nulls not distinct (question_id, answer_id, reply_id, person_id)
);
comment on column mentions.mentioned_at is 'when the post was written, or the edit that mentions them';
create index mentions_person on mentions (person_id);
create index mentions_answer on mentions (answer_id, person_id) where answer_id is not null;
create index mentions_reply on mentions (reply_id, person_id) where reply_id is not null;

-- News of what one follows is stronger than an announcement. Reports of posts are not told.
create or replace function notice_rank(reason text) returns integer language sql immutable as $$
  select array_position(array['mention', 'answered', 'accepted', 'endorsed', 'reply', 'promise', 'followed', 'announcement', 'question'], reason)
$$;
alter table notifications
  drop constraint notifications_reason_known,
  add constraint notifications_reason_known check (reason in (
    'mention', 'answered', 'accepted', 'endorsed', 'reply', 'promise', 'followed', 'announcement', 'question'));
select set_config('handup.bulk', 'on', true);
update people set mails_off = array_remove(mails_off, 'flag') where 'flag' = any(mails_off);
select set_config('handup.bulk', '', true);
