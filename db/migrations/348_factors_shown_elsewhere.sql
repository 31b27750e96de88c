-- Sessions that began at a provider which reported two factors: where an admin accepts those, staff need no other.

alter table provider_sessions add column has_factor boolean not null default false;
comment on column provider_sessions.has_factor is 'whether the provider reported two factors as this session began (amr or acr)';
