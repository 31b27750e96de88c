-- A new course says on its own page what its instructors may do first, until they hide that.
alter table courses add column hides_first_steps boolean not null default false;
comment on column courses.hides_first_steps is 'its instructors hid what to do first';
