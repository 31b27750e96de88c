create table question_votes (
  question_id bigint not null,
  person_id bigint not null,
  voted_at timestamptz not null default now(),
  constraint question_votes_pkey primary key (question_id, person_id),
  constraint question_votes_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_votes_person_fkey foreign key (person_id) references people (id) on delete restrict
);
create index question_votes_person on question_votes (person_id);

create table answer_votes (
  answer_id bigint not null,
  person_id bigint not null,
  voted_at timestamptz not null default now(),
  constraint answer_votes_pkey primary key (answer_id, person_id),
  constraint answer_votes_answer_fkey foreign key (answer_id) references answers (id) on delete cascade,
  constraint answer_votes_person_fkey foreign key (person_id) references people (id) on delete restrict
);
create index answer_votes_person on answer_votes (person_id);
