-- Replies that became answers, and answers that became replies: where what had another number is now, for its old addresses.
create table conversions (
  id bigint generated always as identity primary key,
  question_id bigint not null,
  from_kind text not null,
  from_id bigint not null,
  answer_id bigint,
  reply_id bigint,
  constraint conversions_from_key unique (from_kind, from_id),
  constraint conversions_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint conversions_from_known check (from_kind in ('answer', 'reply')),
  constraint conversions_one_post check (num_nonnulls(answer_id, reply_id) = 1)
);
comment on column conversions.from_id is 'the number that it had, which no other post gets';
comment on column conversions.answer_id is 'this or reply_id: what it is now, however often it was converted since';
create index conversions_question on conversions (question_id);
create index conversions_answer on conversions (answer_id) where answer_id is not null;
create index conversions_reply on conversions (reply_id) where reply_id is not null;

-- What an undo gives back, for an hour.
create table conversion_undos (
  conversion_id bigint primary key,
  answer_id bigint,
  votes jsonb not null default '[]',
  imported_votes_count integer not null default 0,
  reply_ids bigint[] not null default '{}',
  made_at timestamptz not null default now(),
  constraint conversion_undos_conversion_fkey foreign key (conversion_id) references conversions (id) on delete cascade,
  constraint conversion_undos_votes_array check (jsonb_typeof(votes) = 'array')
);
comment on column conversion_undos.answer_id is 'of a reply: the answer that it was under; null: the question';
comment on column conversion_undos.votes is 'of an answer: who voted for it, and when';
comment on column conversion_undos.reply_ids is 'of an answer: the replies that were under it';
create index conversion_undos_answer on conversion_undos (answer_id) where answer_id is not null;
create index conversion_undos_made on conversion_undos (made_at);
