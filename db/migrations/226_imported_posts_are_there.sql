-- Holds for all rows that were there before 225, too.
alter table imported_posts validate constraint imported_posts_question_fkey;
alter table imported_posts validate constraint imported_posts_answer_fkey;
alter table imported_posts validate constraint imported_posts_reply_fkey;
