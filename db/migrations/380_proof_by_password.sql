-- A password typed to sign in, or to make the account: for a quarter of an hour it is not asked for again where a token is made.
alter table sessions drop constraint sessions_proof_known,
  add constraint sessions_proof_known check (proof in ('link', 'passkey', 'provider', 'fresh-provider', 'password'));
