-- A sign-in that left for a provider over someone's session, or over which they signed in to link it, ends with what that person's account ends with.
alter table provider_sign_ins
  add column person_id bigint,
  add constraint provider_sign_ins_person_fkey foreign key (person_id) references people (id) on delete cascade;
create index provider_sign_ins_person on provider_sign_ins (person_id);
comment on column provider_sign_ins.person_id is 'who was signed in when it began, or signed in to link it; null: nobody';

-- What should have ended with what was deleted, closed or merged before.
delete from api_tokens using course_deletions as deleted where api_tokens.course_id = deleted.course_id;
delete from reply_keys using people where people.id = person_id and left_at is not null;
delete from mail_links using people where people.id = person_id and left_at is not null;
