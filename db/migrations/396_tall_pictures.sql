-- A tall picture is up to 16,383 pixels high: its name has five digits. 397 validates the constraint.
alter table images drop constraint images_name_form;
alter table images add constraint images_name_form
  check (name ~ '^[A-Za-z0-9_-]{22}-[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$') not valid;
