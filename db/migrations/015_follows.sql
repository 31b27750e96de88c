-- Following a question. instead_of_asking: the person was about to ask and found that it was already answered.
create table question_follows (
  question_id bigint not null,
  person_id bigint not null,
  instead_of_asking boolean not null default false,
  followed_at timestamptz not null default now(),
  constraint question_follows_pkey primary key (question_id, person_id),
  constraint question_follows_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_follows_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index question_follows_person on question_follows (person_id);
