alter table conversions add constraint conversions_reply_fkey foreign key (reply_id) references replies (id) on delete cascade;
-- An answer by email to a reply reaches the answer that the reply became.
alter table reply_keys add column reply_id bigint;
alter table reply_keys add constraint reply_keys_reply_fkey foreign key (reply_id) references replies (id) on delete set null not valid;
comment on column reply_keys.reply_id is 'the last post that its email told of, where that is a reply';
