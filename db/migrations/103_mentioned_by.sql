-- Who mentioned somebody in another's post.
alter table mentions
  add column mentioned_by bigint,
  add constraint mentions_mentioned_by_fkey foreign key (mentioned_by) references people (id) on delete restrict;
create index mentions_mentioned_by on mentions (mentioned_by) where mentioned_by is not null;
comment on column mentions.mentioned_by is 'whose edit mentions them; null: the author of the post';
