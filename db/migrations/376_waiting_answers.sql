-- Who came back from a provider and waits to be linked is whose the tab is that came back, for five minutes, and over one sign-in.
alter table provider_sign_ins
  add column is_again boolean not null default false,
  add column signed_in_at timestamptz;
comment on column provider_sign_ins.is_again is 'the provider was told to ask who they are, whatever it knew';
comment on column provider_sign_ins.signed_in_at is 'when person_id signed in on the page''s own form to link who came back; null: nobody did';
