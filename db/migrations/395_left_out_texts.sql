-- Lines of an email that weren't posted with it, for its author alone and for a day (src/forum/questions/left-out.ts).
create table left_out_texts (
  answer_id bigint,
  reply_id bigint,
  text text not null,
  made_at timestamptz not null default now(),
  constraint left_out_texts_one_post check (num_nonnulls(answer_id, reply_id) = 1),
  constraint left_out_texts_answer_key unique (answer_id),
  constraint left_out_texts_reply_key unique (reply_id),
  constraint left_out_texts_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint left_out_texts_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint left_out_texts_text_length check (char_length(text) between 1 and 65536)
);
create index left_out_texts_made on left_out_texts (made_at);
