-- In steps
alter table objections validate constraint objections_texts_length;
