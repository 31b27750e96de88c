-- Mails that tell people of a course they were added to go to addresses without an account. They are sent after all others, and
-- stay as long as those of an account do, so that one that comes back is known.
alter table mails drop constraint mails_bulk_of_person;
comment on column mails.is_bulk is 'tells what is new, or invites: sent after all others, MAIL_RATE a minute';
