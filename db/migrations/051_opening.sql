-- An asker may open a private question to the course, and hide the name then only if the course has never seen it.
alter table questions add column was_open boolean not null default true;
comment on column questions.was_open is 'false: it has been private from its first moment on, so that classmates never saw the name';
