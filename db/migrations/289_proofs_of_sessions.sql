-- What replaces the password in a session becomes one column, which takes every way to sign in: it was one column for each. The
-- previous version still writes is_from_link and passkey_at; the next release drops them. Older proofs are void anyway.
alter table sessions
  add column proof text,
  add column proved_at timestamptz,
  add constraint sessions_proof_known check (proof in ('link', 'passkey')),
  add constraint sessions_proof_has_time check ((proof is null) = (proved_at is null));
comment on column sessions.proof is 'what showed who the person is and replaces the password for a while; null: nothing';
comment on column sessions.proved_at is 'when it did';
comment on column sessions.is_from_link is 'replaced by proof, and written by the previous version only';
comment on column sessions.passkey_at is 'replaced by proof, and written by the previous version only';
update sessions set proof = 'link', proved_at = signed_in_at
where is_from_link and signed_in_at > now() - interval '1 hour';
update sessions set proof = 'passkey', proved_at = passkey_at
where passkey_at > now() - interval '15 minutes' and proof is null;
