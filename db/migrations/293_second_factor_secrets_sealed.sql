-- Secrets of authenticator apps are sealed (src/secrets/sealed.ts). Those stored before have 20 bytes; the forum seals them once no
-- process of the version before can be serving any more.
alter table second_factors
  drop constraint second_factors_secret_length,
  add constraint second_factors_secret_length check (octet_length(secret) = 20 or octet_length(secret) between 30 and 255);
comment on column second_factors.secret is 'sealed; 20 bytes: as it is, of a version that did not seal it';
