-- Pictures that people uploaded. The files are in DATA_DIR/uploads, under the name of the row; the posts that show a picture
-- decide who may see it.

create table images (
  id bigint generated always as identity,
  name text not null,
  uploader_id bigint,
  sha256 bytea not null,
  fallback text not null,
  bytes integer not null,
  alt text not null,
  uploaded_at timestamptz not null default now(),
  constraint images_pkey primary key (id),
  constraint images_name_key unique (name),
  constraint images_uploader_fkey foreign key (uploader_id) references people (id) on delete set null,
  constraint images_name_form check (name ~ '^[A-Za-z0-9_-]{22}-[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$'),
  constraint images_sha256_length check (octet_length(sha256) = 32),
  constraint images_fallback_known check (fallback in ('png', 'jpg', 'gif')),
  constraint images_bytes_bounds check (bytes between 1 and 104857600),
  constraint images_alt_length check (char_length(alt) <= 300)
);
comment on column images.name is 'random, with width and height, which pages reserve the room by';
comment on column images.sha256 is 'of the file that was uploaded';
comment on column images.fallback is 'the second file, for readers that do not know WebP';
comment on column images.bytes is 'of both files together';
-- What one person uploaded today; what nobody posted in a day.
create index images_uploader on images (uploader_id, uploaded_at);
create index images_uploaded on images (uploaded_at);

create table post_images (
  image_id bigint not null,
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  is_shown boolean not null default true,
  constraint post_images_image_fkey foreign key (image_id) references images (id) on delete restrict,
  constraint post_images_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint post_images_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint post_images_reply_fkey foreign key (reply_id) references replies (id) on delete cascade,
  constraint post_images_one_post check (num_nonnulls(question_id, answer_id, reply_id) = 1),
  constraint post_images_key unique nulls not distinct (image_id, question_id, answer_id, reply_id)
);
comment on column post_images.is_shown is 'false: an earlier version of the post shows it';
create index post_images_question on post_images (question_id) where question_id is not null;
create index post_images_answer on post_images (answer_id) where answer_id is not null;
create index post_images_reply on post_images (reply_id) where reply_id is not null;
