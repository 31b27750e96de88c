-- A question that staff closed to new answers.
alter table questions add column answers_closed_at timestamptz;
comment on column questions.answers_closed_at is 'since when only staff answer it; null: who may answer in the course';
