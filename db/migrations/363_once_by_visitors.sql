-- Visitors' forms, such as reports, are done once as well: the key has the form's token, which is bound to their browser.
alter table posted_once alter column person_id drop not null;
comment on column posted_once.person_id is 'null: a visitor';
