-- In steps
alter table reply_keys validate constraint reply_keys_reply_fkey;
create index concurrently if not exists reply_keys_reply on reply_keys (reply_id) where reply_id is not null;
alter table imported_posts validate constraint imported_posts_of_kind;
