-- An announcement shows pictures as posts do.
alter table post_images
  add column announcement_id bigint,
  add constraint post_images_announcement_fkey foreign key (announcement_id) references announcements (id) on delete cascade,
  drop constraint post_images_one_post,
  add constraint post_images_one_post check (num_nonnulls(question_id, answer_id, reply_id, announcement_id) = 1),
  drop constraint post_images_key,
  add constraint post_images_key unique nulls not distinct (image_id, question_id, answer_id, reply_id, announcement_id);
create index post_images_announcement on post_images (announcement_id) where announcement_id is not null;
