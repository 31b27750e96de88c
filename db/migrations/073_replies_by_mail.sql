-- Answering by mail. A key stands in the Reply-To of a mail: whoever sends from the person's own address with it posts as that person.
-- With a column token_hash, so that no backup has it.
create table reply_keys (
  token_hash bytea primary key,
  person_id bigint not null,
  question_id bigint not null,
  answer_id bigint,
  is_answer boolean not null,
  made_at timestamptz not null default now(),
  constraint reply_keys_token_hash_length check (octet_length(token_hash) = 32),
  constraint reply_keys_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint reply_keys_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint reply_keys_answer_fkey foreign key (question_id, answer_id) references answers (question_id, id) on delete cascade,
  constraint reply_keys_answer_of_reply check (answer_id is null or not is_answer)
);
comment on column reply_keys.is_answer is 'what is sent becomes an answer; else a reply, under answer_id or under the question';
create index reply_keys_person on reply_keys (person_id);
create index reply_keys_question on reply_keys (question_id, answer_id);
create index reply_keys_made on reply_keys (made_at);

-- Each mail once, whoever delivers it again.
create table incoming_mails (
  message_id text primary key,
  received_at timestamptz not null default now(),
  outcome text not null,
  constraint incoming_mails_message_id_length check (char_length(message_id) between 1 and 300)
);
create index incoming_mails_received on incoming_mails (received_at);
