-- Nothing may be written under an account that is being deleted, or was.
alter table people add column left_at timestamptz;
comment on column people.left_at is 'when its owner asked to delete the account; null: they did not. Posting locks the row and needs null';
