-- Following. A question is followed by whoever asks, answers or replies there, and by one press; 'mute' means that nothing in it is told.
-- A lecture, a tag and a course are followed for their new questions. Staff follow their courses unless their row says otherwise.
alter table question_follows
  alter column followed_at type timestamptz(3),
  add column level text not null default 'follow',
  add constraint question_follows_level_known check (level in ('follow', 'mute')),
  add constraint question_follows_instead_followed check (not instead_of_asking or level = 'follow');
comment on column question_follows.level is 'mute: nothing in the question is told, whatever else they follow';

create table course_follows (
  course_id bigint not null,
  person_id bigint not null,
  is_followed boolean not null,
  followed_at timestamptz(3) not null default now(),
  constraint course_follows_pkey primary key (course_id, person_id),
  constraint course_follows_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_follows_person_fkey foreign key (person_id) references people (id) on delete cascade
);
comment on column course_follows.is_followed is 'false: staff who do not want to hear of each new question. Without a row staff follow, others do not';
create index course_follows_person on course_follows (person_id);

create table lecture_follows (
  lecture_id bigint not null,
  person_id bigint not null,
  followed_at timestamptz(3) not null default now(),
  constraint lecture_follows_pkey primary key (lecture_id, person_id),
  constraint lecture_follows_lecture_fkey foreign key (lecture_id) references lectures (id) on delete cascade,
  constraint lecture_follows_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index lecture_follows_person on lecture_follows (person_id);

create table tag_follows (
  tag_id bigint not null,
  person_id bigint not null,
  followed_at timestamptz(3) not null default now(),
  constraint tag_follows_pkey primary key (tag_id, person_id),
  constraint tag_follows_tag_fkey foreign key (tag_id) references tags (id) on delete cascade,
  constraint tag_follows_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index tag_follows_person on tag_follows (person_id);

-- What was written before counts as well: people who can sign in follow where they wrote. Said to nobody: a shared page shows no
-- more of it than a number, which is right at its next rendering.
select set_config('handup.bulk', 'on', true);
insert into question_follows (question_id, person_id, followed_at)
select question_id, person_id, min(written_at)
from (
  select id as question_id, author_id as person_id, written_at from questions where deleted_at is null
  union all select question_id, author_id, written_at from answers where deleted_at is null
  union all select question_id, author_id, written_at from replies where deleted_at is null
) as written
join people on people.id = person_id and people.email is not null and people.left_at is null
group by question_id, person_id
on conflict do nothing;
select set_config('handup.bulk', '', true);

-- Newest first, for /following.
drop index question_follows_person;
create index question_follows_person on question_follows (person_id, followed_at, question_id);

create trigger question_follows_tell_changed after update on question_follows
  for each row when (old.level <> new.level and is_told()) execute function tell_row_of_question('page');

-- What one person alone has in pages that many see (src/web/own-parts.ts): which courses, lectures and tags they follow. TG_ARGV: none.
-- One message for up to 300 people: the payload of a notification is 8,000 bytes at most.
create function tell_own(people bigint[]) returns void language sql as $$
  select tell_change(json_build_object('scopes', scopes)) from (
    select array_agg('own:' || person order by place) as scopes
    from unnest(people) with ordinality as given (person, place) group by (place - 1) / 300
  ) as told
$$;
create function tell_own_rows() returns trigger language plpgsql as $$
begin
  perform tell_own(array(select distinct person_id from changed_rows order by person_id));
  return null;
end $$;
create trigger course_follows_tell_insert after insert on course_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger course_follows_tell_update after update on course_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger course_follows_tell_delete after delete on course_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger lecture_follows_tell_insert after insert on lecture_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger lecture_follows_tell_delete after delete on lecture_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger tag_follows_tell_insert after insert on tag_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger tag_follows_tell_delete after delete on tag_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
