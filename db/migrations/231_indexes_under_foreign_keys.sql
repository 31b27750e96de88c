-- In steps: what deletes or empties rows of another table finds them along an index.
create index concurrently if not exists search_documents_course on search_documents (course_id);
create index concurrently if not exists post_versions_redacted_by on post_versions (redacted_by) where redacted_by is not null;
create index concurrently if not exists question_desk_lecture on question_desk (lecture_id) where lecture_id is not null;
-- Of deleted answers too.
create index concurrently if not exists answers_of_author on answers (author_id, written_at, id);
drop index concurrently if exists answers_author_written;

-- For foreign keys that carry the course along with its question.
create unique index concurrently if not exists questions_id_course on questions (id, course_id);
