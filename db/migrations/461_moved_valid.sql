-- In steps: whoever wants no emails or pushes of what they follow wants none of these either.
alter table notifications validate constraint notifications_reason_known;
-- over people
update people set mails_off = mails_off || '{moved,converted}'
where id > $1 and id <= $2 and 'followed' = any(mails_off) and not 'moved' = any(mails_off) and cardinality(mails_off) <= 18;
-- over people
update people set pushes_off = pushes_off || '{moved,converted}'
where id > $1 and id <= $2 and 'followed' = any(pushes_off) and not 'moved' = any(pushes_off) and cardinality(pushes_off) <= 18;
