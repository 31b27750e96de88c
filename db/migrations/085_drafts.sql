-- Text that somebody is still writing: one draft per person and form. place is where the form is posted.
create table drafts (
  id bigint generated always as identity,
  person_id bigint not null,
  place text not null,
  -- The form's fields by name, as they were typed.
  fields jsonb not null,
  -- Rises with each save, so that a tab with older text cannot overwrite newer text of another tab.
  version integer not null default 1,
  saved_at timestamptz not null default now(),
  constraint drafts_pkey primary key (id),
  constraint drafts_person_place_key unique (person_id, place),
  constraint drafts_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint drafts_place_check check (place ~ '^/' and length(place) <= 200),
  constraint drafts_fields_check check (jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 262144),
  constraint drafts_version_check check (version > 0)
);
-- A person's drafts, newest first, and those that expire.
create index drafts_person_saved on drafts (person_id, saved_at desc, id desc);
create index drafts_saved on drafts (saved_at);
