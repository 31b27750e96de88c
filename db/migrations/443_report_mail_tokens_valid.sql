-- In steps
create unique index concurrently if not exists reports_mail_token_key on reports (mail_token) where mail_token is not null;
alter table reports validate constraint reports_mail_token_form;
alter table reports validate constraint reports_mail_token_of_visitors;
