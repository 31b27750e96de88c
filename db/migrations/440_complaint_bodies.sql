-- Where people can turn after a decision about them, beside objecting: courts and out-of-court bodies, as admins write it.
alter table site_settings add column complaint_bodies text not null default '';
alter table site_settings add constraint site_settings_complaint_bodies check (char_length(complaint_bodies) <= 5000);
comment on column site_settings.complaint_bodies is 'Markdown, in statements of reasons; empty: nothing is said there';
