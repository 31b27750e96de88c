-- Of two people who change one entry of the FAQ at once, the second is shown what the first saved.
alter table faq_entries add column version integer not null default 1 check (version > 0);
