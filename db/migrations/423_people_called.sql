-- In steps: a name that was typed by hand is looked up whole.
create index concurrently if not exists people_called on people (name_letters(display_name));
