-- Which secrets sign cookies and forms of this forum, and when an instance last reported it: instances with different secrets
-- refuse each other's.
create table secret_fingerprints (
  fingerprint bytea primary key,
  used_at timestamptz not null default now(),
  constraint secret_fingerprints_length check (octet_length(fingerprint) = 16)
);
comment on column secret_fingerprints.fingerprint is 'HMAC of SECRET: does not reveal it';
