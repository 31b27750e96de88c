-- Whoever showed a password or a link before these were void must not be let in afterwards.
alter table people add column access_version integer not null default 1;
comment on column people.access_version is 'goes up when what let somebody in before does so no more: a new password, a second factor, an account taken back';

-- Said once, as it begins, rather than guessed from the times of links.
alter table sessions add column is_from_link boolean not null default false;
comment on column sessions.is_from_link is 'began with a one-time link: for an hour that stands for the password';

-- The letter that tells of a second factor has a way back, too.
alter table mail_links
  drop constraint mail_links_purpose_known,
  add constraint mail_links_purpose_known
    check (purpose in ('confirm-email', 'new-password', 'change-email', 'undo-email-change', 'undo-second-factor'));
