-- Of two first starts at once both print the same link: its token follows from SECRET and this number. Who reads the table
-- lacks the secret. A default, as older code beside it names the hash alone.
alter table set_up_links
  add column nonce bytea not null default uuid_send(gen_random_uuid()),
  add constraint set_up_links_nonce_length check (octet_length(nonce) = 16);
