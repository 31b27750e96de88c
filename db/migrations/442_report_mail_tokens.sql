-- What the link in an email to a visitor names their report by: it opens what they wrote and the outcome, and nothing else.
alter table reports add column mail_token text;
alter table reports add constraint reports_mail_token_form check (mail_token ~ '^[A-Za-z0-9_-]{24}$') not valid;
alter table reports add constraint reports_mail_token_of_visitors check (is_by_visitor or mail_token is null) not valid;
comment on column reports.mail_token is 'null: no email was written to a visitor';
