-- Who of the staff has a question open on the desk to answer it, so that others see it: until they leave or post, or for minutes.
-- Nothing is refused because of it: question_desk.assignee_id is who has taken a question.
create table desk_claims (
  question_id bigint primary key,
  person_id bigint not null,
  claimed_until timestamptz not null,
  constraint desk_claims_question_id_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint desk_claims_person_id_fkey foreign key (person_id) references people (id) on delete cascade
);
comment on column desk_claims.claimed_until is 'renewed while the question is open; past it, the row says nothing';
create index desk_claims_person on desk_claims (person_id);

-- Tells open desks of the course. No page that others see shows it: it touches no scope.
create function tell_desk_claim() returns trigger language plpgsql as $$
declare
  question constant bigint := case tg_op when 'DELETE' then old.question_id else new.question_id end;
begin
  perform tell_change(json_build_object('question', id, 'course', course_id, 'scopes', array[]::text[]))
  from questions where id = question;
  return null;
end $$;

create trigger desk_claims_tell after insert or delete on desk_claims
  for each row when (is_told()) execute function tell_desk_claim();
-- One that is only renewed is no news.
create trigger desk_claims_tell_changed after update on desk_claims
  for each row when ((old.person_id <> new.person_id or old.claimed_until <= now()) and is_told())
  execute function tell_desk_claim();
