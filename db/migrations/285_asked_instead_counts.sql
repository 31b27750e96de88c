-- In steps: the FAQ counts who found a question instead of asking it again, and few follows are such.
create index concurrently if not exists question_follows_instead on question_follows (question_id) where instead_of_asking;
