-- Vectors of questions, as the operator's embedding endpoint gives them (EMBEDDINGS_URL): what is found is ranked by them once more.
-- A vector of another model, or of an earlier version of its question, doesn't count and is made again (src/forum/search/embeddings).
create table question_vectors (
  question_id bigint not null,
  model text not null,
  version integer not null,
  vector bytea not null,
  constraint question_vectors_pkey primary key (question_id),
  constraint question_vectors_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_vectors_model_length check (char_length(model) between 1 and 200),
  constraint question_vectors_vector_length
    check (octet_length(vector) between 4 and 16384 and octet_length(vector) % 4 = 0)
);
comment on column question_vectors.version is 'of the question whose text was sent';
comment on column question_vectors.vector is 'of length 1, numbers of four bytes each, the least significant first';

-- Questions of public courses are sent to the endpoint; those of others only if their instructor switched it on.
alter table courses
  add column allows_embeddings boolean not null default false;
comment on column courses.allows_embeddings is 'what every member may read is sent to the embedding endpoint; of a public course it always is';
