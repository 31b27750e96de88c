-- What whoever runs a course decides about it in the browser.
alter table courses
  add column version integer not null default 1,
  add column asking text not null default 'everybody',
  add column accent text not null default 'green',
  add column archived_at timestamptz,
  add constraint courses_asking_known check (asking in ('everybody', 'members')),
  add constraint courses_accent_known check (accent in ('green', 'blue', 'violet', 'plum', 'slate'));
comment on column courses.version is 'goes up with each change of the settings: who changes an older one sees both';
comment on column courses.asking is 'who may write in a public course: everybody who is signed in, or its members';
comment on column courses.archived_at is 'since when it can be read and nothing can be written in it; null: it runs';
