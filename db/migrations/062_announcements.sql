-- What staff tell a whole course. No replies; an edit is told to nobody again, a correction is an announcement of its own.
create table announcements (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  author_id bigint not null,
  title text not null,
  body text not null,
  terms tsvector not null,
  corrects_id bigint,
  version integer not null default 1,
  published_at timestamptz(3) not null default now(),
  edited_at timestamptz(3),
  constraint announcements_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint announcements_course_key unique (course_id, id),
  constraint announcements_author_fkey foreign key (author_id) references people (id) on delete restrict,
  constraint announcements_corrects_fkey foreign key (course_id, corrects_id) references announcements (course_id, id)
    on delete set null (corrects_id),
  constraint announcements_corrects_another check (corrects_id <> id),
  constraint announcements_title_length check (char_length(title) between 3 and 150),
  constraint announcements_body_length check (char_length(body) between 1 and 30000)
);
create index announcements_published on announcements (course_id, published_at, id);
create index announcements_author on announcements (author_id);
create index announcements_corrects on announcements (corrects_id) where corrects_id is not null;
create index announcements_terms on announcements using gin (terms) with (fastupdate = off);
comment on column announcements.terms is 'what it is found by: the same terms as search_documents.terms';

create trigger announcements_tell after insert or update or delete on announcements
  for each row when (is_told()) execute function tell_course_change('counts', 'course_id');
