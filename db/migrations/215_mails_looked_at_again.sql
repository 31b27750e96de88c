-- A mail is looked at again as it is sent: whoever lost access meanwhile is not told. So it keeps what it tells of, not only the text.
alter table mails
  add column tells jsonb not null default '[]',
  add constraint mails_tells_array check (jsonb_typeof(tells) = 'array');
comment on column mails.tells is 'what to look up again as it is sent: notifications and since when, or the course that it invites to; empty once sent';

-- Mails of what is new that wait by now do not have it: they are written again.
create temporary table mails_to_rewrite on commit drop as
select mail.id, mail.person_id, mail.written_at from mails as mail
join jobs as job on job.kind = 'mail' and job.key = mail.id::text and job.give_up_at > now()
where mail.kind = 'news' and mail.sent_at is null;
-- As they were written both had the time of one transaction.
update notifications as notice set due_at = notice.mailed_at, unmailed_since = notice.since_at
from mails_to_rewrite as mail
where notice.person_id = mail.person_id and notice.mailed_at = mail.written_at
  and notice.seen_at is null and notice.due_at is null;
delete from jobs using mails_to_rewrite as mail where jobs.kind = 'mail' and jobs.key = mail.id::text;
delete from mails using mails_to_rewrite as mail where mails.id = mail.id;
