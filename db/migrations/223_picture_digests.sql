-- What the files of a picture must be, so that lost and damaged ones are noticed. images.sha256 is of what was uploaded, and no file.
alter table images
  add column webp_sha256 bytea,
  add column fallback_sha256 bytea,
  add constraint images_digests_both check ((webp_sha256 is null) = (fallback_sha256 is null)),
  add constraint images_digests_length check (octet_length(webp_sha256) = 32 and octet_length(fallback_sha256) = 32);
comment on column images.webp_sha256 is 'of the file NAME.webp; null: kept before this was noted, and not read since';
comment on column images.fallback_sha256 is 'of the file NAME.FALLBACK';
create index images_undigested on images (id) where webp_sha256 is null;
