-- A tag that a run described, or gave other words, goes with it where nothing else uses it.
alter table imported_things add column tag_id bigint;
alter table imported_things add constraint imported_things_tag_fkey foreign key (tag_id) references tags (id) on delete cascade not valid;
alter table imported_things drop constraint imported_things_of_kind;
alter table imported_things add constraint imported_things_of_kind
  check (num_nonnulls(lecture_id, category_id, announcement_id, faq_entry_id, image_id, tag_id) = 1
    and case kind when 'lecture' then lecture_id when 'category' then category_id when 'announcement' then announcement_id
      when 'faq' then faq_entry_id when 'file' then image_id when 'tag' then tag_id end is not null) not valid;
