-- A row of a dump keeps its kind, whatever became of its post.
alter table imported_posts drop constraint imported_posts_of_kind;
alter table imported_posts add constraint imported_posts_of_kind check (case kind when 'question' then num_nonnulls(answer_id, reply_id)
  else num_nonnulls(question_id) end = 0 and num_nonnulls(answer_id, reply_id) <= 1) not valid;
comment on column imported_posts.question_id is
  'this, or answer_id or reply_id: the post that it is now, which was converted where its kind is another one; all null: it was removed here for good';
