-- In steps: the desk lists all questions of a course to its staff, also those that are held back or hidden.
create index concurrently if not exists questions_alive_of_course on questions (course_id, written_at, id) where deleted_at is null;
