-- A row of a dump names the post that it became, or none: one that was removed here for good is not imported again.
alter table imported_posts
  add column question_id bigint,
  add column answer_id bigint,
  add column reply_id bigint;
update imported_posts as imported set
  question_id = (select id from questions where kind = 'question' and id = post_id),
  answer_id = (select id from answers where kind = 'answer' and id = post_id),
  reply_id = (select id from replies where kind = 'reply' and id = post_id);
alter table imported_posts
  drop column post_id,
  add constraint imported_posts_of_kind check (
    (question_id is null or kind = 'question') and (answer_id is null or kind = 'answer') and (reply_id is null or kind = 'reply')),
  -- An import notes a batch of posts before it writes them. 226 validates these, without keeping writers out.
  add constraint imported_posts_question_fkey foreign key (question_id) references questions (id)
    on delete set null deferrable initially deferred not valid,
  add constraint imported_posts_answer_fkey foreign key (answer_id) references answers (id)
    on delete set null deferrable initially deferred not valid,
  add constraint imported_posts_reply_fkey foreign key (reply_id) references replies (id)
    on delete set null deferrable initially deferred not valid;
comment on table imported_posts is 'a row of a dump and the post that it became; none: it was removed here for good';
create unique index imported_posts_question on imported_posts (question_id) where question_id is not null;
create unique index imported_posts_answer on imported_posts (answer_id) where answer_id is not null;
create unique index imported_posts_reply on imported_posts (reply_id) where reply_id is not null;
