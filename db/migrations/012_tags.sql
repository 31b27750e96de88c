-- A tag is one word for the whole forum; its uses are counted per course, because not everybody can see each course.
create table tags (
  id bigint generated always as identity primary key,
  name text not null,
  constraint tags_name_key unique (name),
  constraint tags_name_length check (char_length(name) between 1 and 32)
);

create table course_tags (
  course_id bigint not null,
  tag_id bigint not null,
  questions_count integer not null default 0,
  constraint course_tags_pkey primary key (course_id, tag_id),
  constraint course_tags_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_tags_tag_fkey foreign key (tag_id) references tags (id) on delete cascade,
  constraint course_tags_questions_count_positive check (questions_count >= 0)
);
create index course_tags_tag on course_tags (tag_id);
create index course_tags_most_used on course_tags (course_id, questions_count desc, tag_id);

-- A tag's list would have to sort all questions of a common tag, or read all questions to find those of a rare one. So the
-- columns that lists filter and sort by are copied from the question, by triggers.
create table question_tags (
  question_id bigint not null,
  position integer not null,
  tag_id bigint not null,
  course_id bigint not null,
  state smallint not null,
  written_at timestamptz(3) not null,
  active_at timestamptz(3) not null,
  votes integer not null,
  views integer not null,
  is_deleted boolean not null,
  constraint question_tags_pkey primary key (question_id, tag_id),
  constraint question_tags_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_tags_tag_fkey foreign key (tag_id) references tags (id) on delete restrict,
  constraint question_tags_position_positive check (position > 0)
);
comment on column question_tags.position is 'the order in which the asker gave them';
comment on column question_tags.state is 'this and the columns after it: copied from the question by triggers';
create index question_tags_course on question_tags (tag_id, course_id);
create index question_tags_written on question_tags (tag_id, state, written_at, question_id) where not is_deleted;
create index question_tags_active on question_tags (tag_id, state, active_at, question_id) where not is_deleted;
create index question_tags_votes on question_tags (tag_id, state, votes, question_id) where not is_deleted;
create index question_tags_views on question_tags (tag_id, state, views, question_id) where not is_deleted;

create function take_over_question() returns trigger language plpgsql as $$
begin
  select course_id, state, written_at, active_at, votes_count, views_count, deleted_at is not null
  into new.course_id, new.state, new.written_at, new.active_at, new.votes, new.views, new.is_deleted
  -- Locked: a vote at the same time waits, and then finds the new row to update.
  from questions where id = new.question_id for no key update;
  return new;
end $$;

create function hand_over_question() returns trigger language plpgsql as $$
begin
  update question_tags set course_id = new.course_id, state = new.state, written_at = new.written_at,
    active_at = new.active_at, votes = new.votes_count, views = new.views_count,
    is_deleted = new.deleted_at is not null
  where question_id = new.id;
  return null;
end $$;

create trigger question_tags_take_over before insert on question_tags
  for each row execute function take_over_question();
create trigger questions_hand_over after update on questions for each row
  when ((old.course_id, old.status, old.answers_count, old.written_at, old.active_at, old.votes_count, old.views_count,
      old.deleted_at)
    is distinct from (new.course_id, new.status, new.answers_count, new.written_at, new.active_at, new.votes_count,
      new.views_count, new.deleted_at))
  execute function hand_over_question();
