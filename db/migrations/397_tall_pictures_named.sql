-- In steps: images_name_form (396) holds for all rows.
alter table images validate constraint images_name_form;
