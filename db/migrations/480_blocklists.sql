-- Words, link domains and sign-up addresses that hold a stranger's post, of a course or of the forum.
create table blocklist_entries (
  id bigint generated always as identity primary key,
  course_id bigint references courses (id) on delete cascade,
  list text not null,
  entry text not null,
  added_at timestamptz(3) not null default now(),
  constraint blocklist_entries_key unique nulls not distinct (course_id, list, entry),
  constraint blocklist_entries_list_known check (list in ('words', 'links', 'emails')),
  constraint blocklist_entries_entry_length check (char_length(entry) between 2 and 64)
);
comment on column blocklist_entries.course_id is 'null: of the forum, by admins';
comment on column blocklist_entries.entry is
  'a word or phrase as typed; a host in ASCII; an address or its domain: perhaps a person''s, until someone takes it off the list';
