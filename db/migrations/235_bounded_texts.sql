-- In steps: bounds of what was as long as somebody could make it. The forum never reaches them: each is stated or tested where the
-- text is made. Of long texts bytes are counted, which are known without reading the text: each update of a row is checked.

-- 30,000 characters make 600,000 of HTML at most (src/text/markdown/bounds.test.ts); imported posts may be longer.
alter table questions drop constraint if exists questions_body_html_length,
  add constraint questions_body_html_length check (octet_length(body_html) <= 4000000 or is_imported) not valid;
alter table answers drop constraint if exists answers_body_html_length,
  add constraint answers_body_html_length check (octet_length(body_html) <= 4000000 or is_imported) not valid;
alter table replies drop constraint if exists replies_body_html_length,
  add constraint replies_body_html_length check (octet_length(body_html) <= 4000000 or is_imported) not valid;

-- src/forum/mailing/compose.ts. A subject has its bound since 019.
alter table mails drop constraint if exists mails_text_length, drop constraint if exists mails_html_length,
  add constraint mails_text_length check (octet_length(text) <= 20000000) not valid,
  add constraint mails_html_length check (octet_length(html) <= 20000000) not valid;

-- src/accounts/sessions/sessions.ts cuts it.
alter table sessions drop constraint if exists sessions_user_agent_length,
  add constraint sessions_user_agent_length check (char_length(user_agent) <= 300) not valid;

-- src/web/paths.ts. Paths that are longer were kept for a day at most, and lead to the front page.
update posted_once set path = '/' where char_length(path) > 4000;
update half_sign_ins set path = '/' where char_length(path) > 4000;
alter table posted_once drop constraint if exists posted_once_path_length,
  add constraint posted_once_path_length check (char_length(path) <= 4000) not valid;
alter table half_sign_ins drop constraint if exists half_sign_ins_path_length,
  add constraint half_sign_ins_path_length check (char_length(path) <= 4000) not valid;

-- src/accounts/identity/forms.ts. The longest name of the tz database has 32 characters.
alter table people drop constraint if exists people_time_zone_length,
  add constraint people_time_zone_length check (char_length(time_zone) between 1 and 64) not valid;
alter table courses drop constraint if exists courses_time_zone_length,
  add constraint courses_time_zone_length check (char_length(time_zone) between 1 and 64) not valid;

alter table questions validate constraint questions_body_html_length;
alter table answers validate constraint answers_body_html_length;
alter table replies validate constraint replies_body_html_length;
alter table mails validate constraint mails_text_length;
alter table mails validate constraint mails_html_length;
alter table sessions validate constraint sessions_user_agent_length;
alter table posted_once validate constraint posted_once_path_length;
alter table half_sign_ins validate constraint half_sign_ins_path_length;
alter table people validate constraint people_time_zone_length;
alter table courses validate constraint courses_time_zone_length;
